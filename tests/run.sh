#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs what is missing, builds the project with warnings as errors, and runs
# its tests.  The last line of the output is "N passed, N failed"; the exit
# status is 0 only if something ran and nothing failed.
#
# Usage: tests/run.sh [OPTION...] [TEST...]
#   --asan           build with AddressSanitizer and UBSan, run all CPU tests
#   --tsan           build with ThreadSanitizer, run the scheduler and boundary
#                    tests (builds a GLib and a GStreamer for it the first time)
#   --fuzz SECONDS   run each fuzzer that long, from the corpus in tests/fuzz
#   --clang          compile with clang
#   --no-cuda        leave the CUDA back end out of the build
#   --no-install     take the installed packages as they are
#   --suite NAME     run only this suite (core, tasks, gst, scheduler, cuda, fuzz);
#                    may be given more than once
#   --summary FILE   add "PASSED FAILED SKIPPED" to FILE in place of the closing
#                    line (for scripts that add up several runs), and what
#                    failed to FILE.failures
#   TEST...          run only these tests, named as "meson test --list" shows them
#
# Build folders are kept below build-tests/, so a second run is quick.  There,
# NAME/meson-logs/testlog.txt has the full output of every test.

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"

variant=plain
cuda=auto
clang=no
install=yes
seconds=0
summary=
suites=()
tests=()

usage () { printf 'run.sh: %s (see --help)\n' "$*" >&2; exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --asan) variant=asan ;;
    --tsan) variant=tsan ;;
    --fuzz)
      variant=fuzz
      seconds=${2:-}
      [[ $seconds =~ ^[1-9][0-9]*$ ]] || usage "--fuzz needs a number of seconds"
      shift ;;
    --clang) clang=yes ;;
    --no-cuda) cuda=disabled ;;
    --no-install) install=no ;;
    --suite) [ $# -gt 1 ] || usage "--suite needs a name"; suites+=("$2"); shift ;;
    --summary) [ $# -gt 1 ] || usage "--summary needs a file"; summary=$2; shift ;;
    -h | --help) sed -n '5,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) usage "unknown option '$1'" ;;
    *) tests+=("$1") ;;
  esac
  shift
done

say () { printf '=== %s\n' "$*"; }

# --- packages --------------------------------------------------------------

[ $variant != fuzz ] || clang=yes      # libFuzzer is clang's
needs=()
[ $clang = no ] || needs+=(--sanitizers)
[ $variant != tsan ] || needs+=(--tsan)
[ $install = no ] || tests/install-deps.sh ${needs[@]+"${needs[@]}"}

# The toolkit's usual place is often not on PATH.
if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
  PATH=$PATH:/usr/local/cuda/bin
fi

# --- build -----------------------------------------------------------------

# one architecture is enough to see that device code builds
options=(-Dwerror=true -Dbuildtype=debugoptimized "-Dgpu_archs=${HOLOFLOW_GPU_ARCHS:-90}")
# loaded machines are slow; a hang is still found
arguments=(--no-rebuild --print-errorlogs --timeout-multiplier 3)
case $variant in
  plain)
    # where tests/install.sh installs to
    options+=("-Dcuda=$cuda" "-Dprefix=$top/build-tests/installed" -Dlibdir=lib)
    [ $cuda = auto ] || variant=plain-no-cuda
    ;;
  asan)
    options+=(-Dcuda=disabled "-Db_sanitize=address,undefined" -Db_lundef=false)
    arguments+=(--timeout-multiplier 6)
    # the libraries have no frame pointers: without the slow unwinding a leak ends
    # in g_malloc(); g_slice hides errors; GStreamer's scanner process is built without the
    # sanitizer and cannot load our plugin
    export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1:fast_unwind_on_malloc=0}
    export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
    export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$top/tests/asan.supp:print_suppressions=0}
    export G_SLICE=always-malloc GST_REGISTRY_FORK=no
    ;;
  tsan)
    . tests/tsan/env.sh
    libraries=$(tests/tsan/build-deps.sh)
    # RPATH rather than RUNPATH: also for what the libraries load in their turn
    options+=(-Dcuda=disabled -Db_sanitize=thread -Db_lundef=false
              "-Dpkg_config_path=$libraries/lib/pkgconfig"
              "-Dc_link_args=-Wl,-rpath,$libraries/lib,--disable-new-dtags")
    arguments+=(--timeout-multiplier 10)
    [ ${#suites[@]} -gt 0 ] || suites=(scheduler)
    export TSAN_OPTIONS=${TSAN_OPTIONS:-second_deadlock_stack=1:history_size=7:suppressions=$top/tests/tsan/races.supp}
    # only plug-ins that were built with the sanitizer, found in this process;
    # g_slice reads its counters beside the mutex that guards them
    export G_SLICE=always-malloc
    export GST_PLUGIN_SYSTEM_PATH_1_0=$libraries/lib/gstreamer-1.0 GST_REGISTRY_FORK=no
    ;;
  fuzz)
    options+=(-Dcuda=disabled -Dfuzz=true -Dbench=false -Dexamples=false "-Db_sanitize=address,undefined" -Db_lundef=false)
    ;;
esac

targets=()
[ $variant != fuzz ] || targets=(fuzzers)
if [ $clang = yes ]; then
  export CC=clang CXX=clang++
  [ $variant = fuzz ] || variant+=-clang
fi
build=build-tests/$variant
export GST_REGISTRY_1_0=$top/$build/registry.bin

# A folder of an older state of the project may not take the new options.
configure () {
  if [ ! -f "$build/build.ninja" ]; then
    rm -rf "$build"
    meson setup "$build" "${options[@]}"
  else
    meson setup --reconfigure "$build" "${options[@]}" ||
      meson setup --wipe "$build" "${options[@]}"
  fi
}

mkdir -p build-tests
say "configuring $build"
if ! configure >"$build.log" 2>&1; then
  tail -n 40 "$build.log"
  say "cannot configure; the whole output is in $build.log"
  exit 1
fi
say "building"
progress='^(ninja: Entering|\[[0-9]+/[0-9]+\] (Compiling|Linking|Generating|Copying))'
if ! ninja -C "$build" ${targets[@]+"${targets[@]}"} | { grep -v -E "$progress" || true; }; then
  say "cannot build"
  exit 1
fi

# --- run -------------------------------------------------------------------

passed=0 failed=0 skipped=0

# GStreamer's own programs are built without the sanitizer, which must be there
# before our plug-in is.  Their leaks are not ours.
wrap_gst_launch () {
  local program runtime
  program=$(command -v gst-launch-1.0) || return 0
  runtime=$("${CC:-cc}" -print-file-name=libasan.so)
  mkdir -p "$build/bin"
  cat >"$build/bin/gst-launch-1.0" <<END
#!/bin/sh
LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 exec $program "\$@"
END
  chmod +x "$build/bin/gst-launch-1.0"
  PATH=$top/$build/bin:$PATH
}
[ $variant != asan ] || wrap_gst_launch

# The system's plug-ins leak when they are loaded to be looked at: let the scanner
# process do that, so that a sanitizer build loads only what a test uses.
if [[ $variant == asan* ]] && command -v gst-inspect-1.0 >/dev/null; then
  env -u GST_REGISTRY_FORK gst-inspect-1.0 fakesink >/dev/null 2>&1 || true
fi

run_tests () {
  local suite status=0
  for suite in ${suites[@]+"${suites[@]}"}; do
    arguments+=(--suite "$suite")
  done
  rm -f "$build"/meson-logs/testlog*.json
  ${TSAN_RUN:-} meson test -C "$build" "${arguments[@]}" ${tests[@]+"${tests[@]}"} </dev/null || status=$?
  if [ ! -s "$build/meson-logs/testlog.json" ]; then
    say "no test ran"
    failed=1
    return
  fi
  read -r passed failed skipped <<<"$(tests/count-results.py ${summary:+--failures "$summary.failures"} \
    "$build/meson-logs/testlog.json" 2>&3)"
  if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
    say "meson test gave status $status"
    failed=1
  fi
} 3>&1

# Each fuzzer starts from a copy of its corpus: what it finds stays out of the
# source tree, an input that broke it lands in the build folder.
run_fuzzers () {
  local fuzzer name dictionary found=$top/$build/found
  for fuzzer in "$build"/tests/fuzz/fuzz-*; do
    if [ ! -f "$fuzzer" ] || [ ! -x "$fuzzer" ]; then continue; fi
    name=${fuzzer##*/fuzz-}
    mkdir -p "$found/$name/corpus"
    dictionary=()
    [ ! -f "tests/fuzz/$name.dict" ] || dictionary=("-dict=tests/fuzz/$name.dict")
    say "fuzzing $name for $seconds s"
    if "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="$found/$name/" \
        ${dictionary[@]+"${dictionary[@]}"} "$found/$name/corpus" "tests/fuzz/corpus/$name" >"$found/$name/log" 2>&1 </dev/null; then
      grep -E 'number_of_executed_units|average_exec' "$found/$name/log" || true
      passed=$((passed + 1))
    else
      tail -n 60 "$found/$name/log"
      failed=$((failed + 1))
    fi
  done
}

if [ $variant = fuzz ]; then
  run_fuzzers
else
  run_tests
fi

if [ $((passed + failed)) -eq 0 ]; then
  say "nothing was tested"
  failed=1
fi
say "$variant: $skipped skipped"
if [ -n "$summary" ]; then
  echo "$passed $failed $skipped" >>"$summary"
  say "$variant: $passed of $((passed + failed)) passed"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
