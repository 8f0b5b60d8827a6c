#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# shellcheck disable=SC2317 # functions are called by name
#
# Runs what tests/gpu.sh has packed.  A program that fails or hangs does not keep
# the others from running; what matters of each is printed, all of it is in
# $OUT (or a folder beside the programs).  The status is 0 only if all went well.
#
# Usage: run.sh [tests] [bench] [graph]      (default: all three)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
logs=${OUT:-$(mktemp -d)}/run
mkdir -p "$logs"
rm -f "$logs"/*.end "$logs/failed"
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export G_DEBUG=gc-friendly,fatal-criticals HOLOFLOW_MODULE_PATH='' HOLOFLOW_TEST_CUDA_MODULE=$here/libholocuda.so
failed=0

# run_test NAME SECONDS PROGRAM ARGUMENT...: what it prints is in NAME.end
run_test () {
  local name=$1 limit=$2 program=$3 log=$logs/$1.log start status
  shift 3
  start=$(date +%s%N)
  LD_LIBRARY_PATH=$here/lib-tests:$LD_LIBRARY_PATH timeout -k 5 "$limit" "$here/test-cuda-$program" --verbose "$@" > "$log" 2>&1
  status=$?
  {
    printf '== %-8s exit %d, %d ok, %d not ok, %d ms\n' "$name" "$status" "$(grep -c '^ok' "$log")" \
      "$(grep -c '^not ok' "$log")" $((($(date +%s%N) - start) / 1000000))
    # a machine that should have a GPU and shows none has failed
    if [ "$status" -ne 0 ] || grep -q 'SKIP no CUDA device' "$log"; then
      touch "$logs/failed"
      tail -n 20 "$log" | cut -c 1-300
    fi
    grep -h -E 'SKIP|wait left out|waits:|depth|CPU|released|free device|stopped after' "$log" | cut -c 1-160 |
      head -n 75
  } > "$logs/$name.end"
}

# The kinds, a case in six for each process.
kinds () {
  local cases some part
  mapfile -t cases < <(LD_LIBRARY_PATH=$here/lib-tests:$LD_LIBRARY_PATH "$here/test-cuda-kinds" -l | grep '^/')
  [ ${#cases[@]} -gt 6 ] || cases=(/cuda)
  for ((part = 0; part < 6; part++)); do
    some=()
    for ((i = part; i < ${#cases[@]}; i += 6)); do some+=(-p "${cases[i]}"); done
    [ ${#some[@]} -eq 0 ] || run_test "kinds-$part" 100 kinds "${some[@]}" &
  done
  wait
}

# All at once but for those that look at times, which come one after the other.
tests () {
  kinds &
  run_test module 60 module &
  run_test faults 100 faults &
  run_test several 60 several &
  run_test update 60 update &
  wait
  run_test device 60 device
  run_test waits 60 waits
  run_test order 60 order
  cat "$logs"/*.end
  [ ! -e "$logs/failed" ] || failed=1
}

bench () {
  echo "== bench-cuda"
  timeout -k 5 60 "$here/bench-cuda" > "$logs/bench.log" 2>&1 || { failed=1; echo "failed"; }
  cut -c 1-250 "$logs/bench.log"
}

tool () { timeout -k 5 60 "$here/holoflow" run "$@" 2>&1 || failed=1; }

graph () {
  local folder
  echo "== holoflow run"
  folder=$(mktemp -d -p /dev/shm)
  export HOLOFLOW_MODULE_PATH=$here
  tool -s "write.path=$folder/frames.npy" "$here/frames.json" > "$logs/graph.log"
  for _ in 1 2 3; do
    tool --stats --device cuda:0 -s "read.path=$folder/frames.npy" -s "write.path=$folder/out.npy" \
      "$here/band-pass.json" >> "$logs/graph.log"
  done
  rm -rf "$folder"
  grep 'done' "$logs/graph.log"
  tail -n 24 "$logs/graph.log"
}

[ $# -gt 0 ] || set -- tests bench graph
for part in "$@"; do "$part"; done
[ $failed -eq 0 ] && echo "all went well" || echo "something failed"
exit $failed
