#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# shellcheck disable=SC2154,SC2317 # variables and functions of a kit
#
# Runs what tests/gpu-gst.sh has packed: every test by itself, so that one that
# fails or hangs stops no other.  Whole logs go to $OUT, if that is set.  May be
# sourced where a function kit-run starts programs (with its variables).
#
# Usage: run.sh [PATH...]      (PATHs begin like /cuda-elements/pictures; default: all)
#
# LIMIT is the limit of a test in seconds (60), TAIL how many lines of one that
# failed are shown (12), WRAP a command in front of each program, such as
# "compute-sanitizer --error-exitcode 9" (for a kit without a loader of its own).

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
declare -F kit-run > /dev/null || kit-run () { "$@"; }
export -f kit-run
export kit driver nvrtc
export LD_LIBRARY_PATH=$here/lib-tests:$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} KIT_LIBRARY_PATH=$here/lib-tests:$here/lib
export GST_PLUGIN_PATH_1_0=$here/plugins${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
export G_DEBUG=gc-friendly,fatal-criticals HOLOFLOW_MODULE_PATH=$here/modules HOLOFLOW_TEST_EXAMPLES=$here/examples
export GST_DEBUG=${GST_DEBUG:-2} GST_DEBUG_NO_COLOR=1
logs=${OUT:-$(mktemp -d)}/gst
mkdir -p "$logs"
passed=0 failed=0 skipped=0

# run_one PROGRAM PATH
run_one () {
  local program=$1 path=$2 log began=$SECONDS status=0
  log=$logs/$(tr / - <<< "${path#/}").log
  # shellcheck disable=SC2086 # WRAP is words
  timeout -k 5 "${LIMIT:-60}" bash -c 'kit-run "$@"' _ ${WRAP:-} "$program" -p "$path" --verbose > "$log" 2>&1 || status=$?
  if [ $status -ne 0 ] || ! grep -q '^ *ok ' "$log"; then
    failed=$((failed + 1)); echo "FAIL $path (status $status)"
    tail -n "${TAIL:-12}" "$log" | cut -c1-240
  elif grep -q '^ *ok .*# SKIP' "$log"; then
    skipped=$((skipped + 1)); echo "SKIP $path: $(grep -o '# SKIP.*' "$log" | head -1)"
  else
    passed=$((passed + 1))
    echo "ok   $path ($((SECONDS - began)) s) $(grep -o -E '[0-9]+ frames in.*|back [0-9]+ us.*' "$log" | head -1)"
  fi
}

wanted () {
  local path=$1 prefix
  shift
  [ $# -eq 0 ] && return 0
  for prefix in "$@"; do [[ $path == "$prefix"* ]] && return 0; done
  return 1
}

kit-run gst-launch-1.0 --version 2> /dev/null | head -1
for program in "$here"/programs/*; do
  # a program that finds no GPU says so instead of naming its tests; newer GLib names them in comments
  paths=$(kit-run "$program" -l 2> /dev/null | sed 's/^# //' | grep '^/') || { failed=$((failed + 1)); kit-run "$program" -l 2>&1 | tail -n 3; }
  for path in $paths; do wanted "$path" "$@" && run_one "$program" "$path"; done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
