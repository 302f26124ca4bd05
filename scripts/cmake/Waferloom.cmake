# Shared target properties and helpers.
add_library(wl_options INTERFACE)
target_include_directories(wl_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(wl_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
target_compile_definitions(wl_options INTERFACE WL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

# How much a release build optimises a target (the N of -ON): 1, at half the cost of 3, unless the target says otherwise because it runs for each cycle or each word.
# No level changes a result: floating point is IEEE in all of them.
define_property(TARGET PROPERTY WL_OPTIMISE INITIALIZE_FROM_VARIABLE WL_OPTIMISE BRIEF_DOCS "level of optimisation of a release build")
set(WL_OPTIMISE 1)
target_compile_options(wl_options INTERFACE $<$<CONFIG:Release>:-O$<TARGET_PROPERTY:WL_OPTIMISE>>)

# wl_add_test(NAME n SOURCES ... LIBS ... LABELS fast|rtl|full [TIMEOUT s] [OPTIMISE n])
# One Catch2 executable, one ctest entry; the label says when it runs. Tests with a longer time limit start first (COST): a long one
# that starts last leaves the other cores idle. The sources of a fast test are not optimised unless it asks for it: it compares what libraries did.
function(wl_add_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT;OPTIMISE" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE wl_options wl_catch_main ${T_LIBS})
  if(T_OPTIMISE)
    set_target_properties(${T_NAME} PROPERTIES WL_OPTIMISE ${T_OPTIMISE})
  elseif("fast" IN_LIST T_LABELS)
    set_target_properties(${T_NAME} PROPERTIES WL_OPTIMISE 0)
  endif()
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT} COST ${T_TIMEOUT})
endfunction()

# wl_npm_folder(FOLDER SOURCE): installs the packages of SOURCE/package.json and its lock file into FOLDER (of the build); FOLDER/installed is the file to depend on.
function(wl_npm_folder folder source)
  add_custom_command(OUTPUT ${folder}/installed
    COMMAND ${CMAKE_COMMAND} -DNPM=${NPM_EXECUTABLE} -DSOURCE=${source} -DFOLDER=${folder} -P ${CMAKE_SOURCE_DIR}/scripts/cmake/npm_ci.cmake
    DEPENDS ${source}/package.json ${source}/package-lock.json ${CMAKE_SOURCE_DIR}/scripts/cmake/npm_ci.cmake
    COMMENT "Installing npm packages: ${source}/package.json" VERBATIM)
endfunction()
