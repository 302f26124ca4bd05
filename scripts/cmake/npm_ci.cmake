# Installs the npm packages of a package.json and its lock file into a build folder: cmake -DNPM=npm -DSOURCE=folder -DFOLDER=build folder -P fetch.cmake
# Packages run no scripts of their own. What is in npm's cache needs no network.
file(MAKE_DIRECTORY ${FOLDER})
foreach(name package.json package-lock.json)
  file(COPY_FILE ${SOURCE}/${name} ${FOLDER}/${name} ONLY_IF_DIFFERENT)
endforeach()
execute_process(
  COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
  WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${FOLDER}/npm.log ERROR_FILE ${FOLDER}/npm.log)
if(failed)
  file(REMOVE ${FOLDER}/installed)
  # The blank keeps CMake from breaking the line.
  message(FATAL_ERROR " npm could not install ${SOURCE}/package-lock.json: connect to the npm registry, or name a mirror with 'npm config set registry URL', and build again (npm's words: ${FOLDER}/npm.log)")
endif()
file(TOUCH ${FOLDER}/installed)
