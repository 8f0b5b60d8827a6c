#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# shellcheck disable=SC2154 # variables of a kit
#
# What GStreamer costs: the queued band-pass of 512x512 pictures on cuda:0, from
# and to files in memory,
#
#   tool   by `holoflow run`
#   bin    by gst-launch-1.0 with holoflowbin alone, the same graph with its files
#   pads   by gst-launch-1.0 with filesrc ! holoflowbin ! filesink
#
# Runs alternate; frames per second of each, and medians of the ratios to the tool.
#
# Usage: bench.sh [FRAMES] [ROUNDS]      (default: 3000 7)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
frames=${1:-3000} rounds=${2:-7}
size=$((frames * 512 * 512))
declare -F kit-run > /dev/null || kit-run () { "$@"; }
export kit driver nvrtc
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} KIT_LIBRARY_PATH=$here/lib
export GST_PLUGIN_PATH_1_0=$here/plugins${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
export HOLOFLOW_MODULE_PATH=$here/modules
caps='tensor/strided,type=(string)uint8,dims=(int)<512,512>,dims-order=(string)row-major,framerate=(fraction)0/1'
folder=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$folder"' EXIT

# The first and the last node by others: graph READ WRITE
graph () {
  sed -e "s|^ *\"read\":.*|    \"read\": $1,|" -e "s|^ *\"write\":.*|    \"write\": $2|" "$here/examples/band-pass.json"
}

launch () { kit-run gst-launch-1.0 "$@" 2>&1 | tee "$folder/log" | sed -n 's/^Execution ended after 0:\([0-9]*\):\([0-9.]*\)$/\1 \2/p'; }
to_rate () { awk -v n="$frames" '{ printf "%.0f\n", n / ($1 * 60 + $2) }'; }

tool () { kit-run "$here/bin/holoflow" run --device cuda:0 "$folder/closed.json" | sed -n 's/.*(\([0-9]*\) frames.*/\1/p'; }
bin () { launch holoflowbin "graph-location=$folder/closed.json" device=cuda:0 | to_rate; }
pads () {
  launch filesrc "location=$folder/frames.raw" blocksize=262144 ! "$caps" ! \
    holoflowbin "graph-location=$folder/open.json" device=cuda:0 ! filesink "location=$folder/out.raw" | to_rate
}

kit-run "$here/bin/holoflow" run -s "write.path=$folder/frames.npy" -s "frames.count=$frames" "$here/examples/frames.json"
tail -c $size "$folder/frames.npy" > "$folder/frames.raw"
graph "{\"type\": \"NpyReader\", \"params\": {\"path\": \"$folder/frames.npy\"}}" \
  "{\"type\": \"NpyWriter\", \"params\": {\"path\": \"$folder/out.npy\"}}" > "$folder/closed.json"
graph '{"type": "Input", "params": {}}' '{"type": "Output", "params": {}}' > "$folder/open.json"

for ((round = 0; round <= rounds; round++)); do
  a=$(tool) b=$(bin) c=$(pads)
  [ -n "$a" ] && [ -n "$b" ] && [ -n "$c" ] || { cat "$folder/log"; exit 1; }
  [ $round -gt 0 ] || continue # the first one warms up
  echo "tool $a, bin $b, pads $c frames/s" | tee -a "$folder/rates"
done
# what came out is the same
cmp <(tail -c $size "$folder/out.npy") "$folder/out.raw" && echo "the same pictures"

median () { sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
tr -d , < "$folder/rates" | awk '{ printf "%.3f\n", $4 / $2 }' | median | sed 's/^/bin to tool: /'
tr -d , < "$folder/rates" | awk '{ printf "%.3f\n", $6 / $2 }' | median | sed 's/^/pads to tool: /'
