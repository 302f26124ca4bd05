# What scripts/run and scripts/test share. Sourced by bash; sets root and build.
# The build folder is build/ in the tree, or WAFERLOOM_BUILD.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
build=${WAFERLOOM_BUILD:-$root/build}

say() { printf '%s\n' "$*" >&2; }

# Runs a command quietly; shows its output only if it fails, and the end of it only.
quietly() {
  local log=$build/$1.log
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    say "failed: $*"
    say "the whole output is in $log"
    return 1
  fi
}

configure() {
  local options=(-S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release)
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  mkdir -p "$build"
  # A folder that was configured for another place (a copied or moved tree) or another generator starts afresh.
  if [ -f "$build/CMakeCache.txt" ] && { ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" ||
    ! grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build" "$build/CMakeCache.txt" || ! grep -qxF "CMAKE_GENERATOR:INTERNAL=Ninja" "$build/CMakeCache.txt"; }; then
    options+=(--fresh)
  fi
  say "configure: $build"
  quietly configure cmake "${options[@]}"
}

# build_targets TARGET...: builds them, with Ninja's progress on a terminal.
build_targets() {
  local command=(cmake --build "$build" --target "$@")
  say "build: $*"
  if [ -t 2 ]; then
    "${command[@]}" >&2
  else
    quietly build "${command[@]}"
  fi
}
