#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs memcheck, racecheck and synccheck on what tests/gpu.sh has packed, many
# parts at a time, each under a limit.  Prints how each ended; all of it is in
# $OUT.  Left out are tests that measure time, and those of errors, which the
# sanitizer reports as such.  Racecheck looks at shared memory alone, which only
# the search for a range uses (Normalize, and Conversion that scales).
#
# Usage: sanitize.sh [SECONDS]      limit of a part (default: 110)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
limit=${1:-110}
logs=${OUT:-$(mktemp -d)}/sanitize
mkdir -p "$logs"
export LD_LIBRARY_PATH=$here/lib-tests:$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export G_DEBUG=gc-friendly HOLOFLOW_MODULE_PATH='' HOLOFLOW_TEST_QUICK=1
PATH=$PATH:/usr/local/cuda/bin
jobs_at_a_time=$(($(nproc) > 2 ? $(nproc) - 1 : 2))
commands=()

# add NAME TOOL PROGRAM ARGUMENT...
add () {
  local name=$1 tool=$2 program=$3
  shift 3
  commands+=("$name" "$tool" "$program" "$*")
}

paths () { printf -- '-p %s ' "$@"; }

run () {
  local log=$logs/$1.log start status
  start=$(date +%s)
  # shellcheck disable=SC2086 # the arguments are words
  timeout -k 5 "$limit" compute-sanitizer --tool "$2" --error-exitcode 9 "$here/$3" $4 > "$log" 2>&1
  status=$?
  printf '%-22s exit %3d, %3d ok, %3d s, %s\n' "$1" "$status" "$(grep -c '^ok' "$log")" $(($(date +%s) - start)) \
    "$(grep -h 'SUMMARY' "$log" | tail -n 1)" > "$logs/$1.end"
}

graphs=(plain queues small-queues batch-queue memory transforms cached-loops)
mapfile -t kinds < <("$here/test-cuda-kinds" -l | grep -E '^/cuda/kinds/[^/]*/[0-9]')
mapfile -t ranges < <(printf '%s\n' "${kinds[@]}" | grep -E 'Normalize|scaled')

# the long ones first
for tool in memcheck synccheck; do
  for ((part = 0; part < 8; part++)); do
    some=()
    for ((i = part; i < ${#kinds[@]}; i += 8)); do some+=("${kinds[i]}"); done
    add "$tool-kinds-$part" $tool test-cuda-kinds "$(paths "${some[@]}")"
  done
done
for path in "${ranges[@]}"; do
  add "racecheck$(tr / - <<< "${path#/cuda/kinds}")" racecheck test-cuda-kinds "$(paths "$path")"
done
for tool in memcheck racecheck synccheck; do
  add "$tool-order" $tool test-cuda-order "$(paths "${graphs[@]/#//cuda/order/}")"
  add "$tool-device" $tool test-cuda-device \
    "$(paths /cuda/device/{copies,memory,context,fences,many-fences,many-waiters})"
done
add memcheck-update memcheck test-cuda-update

n_running=0
for ((i = 0; i < ${#commands[@]}; i += 4)); do
  [ -x "$here/${commands[i + 2]}" ] || continue
  run "${commands[@]:i:4}" &
  n_running=$((n_running + 1))
  if [ $n_running -ge "$jobs_at_a_time" ]; then wait -n; n_running=$((n_running - 1)); fi
done
wait
cat "$logs"/*.end
failures=$(grep -l -v 'exit   0' "$logs"/*.end)
for file in $failures; do
  echo "-- $(basename "${file%.end}")"
  grep -h -E '=========|not ok|Bail|ERROR' "${file%.end}.log" | head -n 12 | cut -c 1-200
  tail -n 4 "${file%.end}.log" | cut -c 1-200
done
[ -z "$failures" ] && echo "all went well" || exit 1
