#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the GPU tests, the benchmark and the tool, and packs them with the
# libraries they need, for a machine that has a GPU and an NVIDIA driver but
# neither GLib nor this project.  Prints the commands to run there:
#
#   run.sh        tests, benchmark, a graph with the tool
#   sanitize.sh   memcheck, racecheck and synccheck, in parts that end in time
#
# Usage: tests/gpu.sh [FOLDER]      (default: build-tests/gpu-pack)
#
# HOLOFLOW_GPU_ARCHS picks the architectures (default: 90), JOBS how many
# compilers run at a time, HOLOFLOW_GPU_BUILD the build folder.  The other
# machine's C library must not be older.

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
pack=${1:-build-tests/gpu-pack}
build=${HOLOFLOW_GPU_BUILD:-build-tests/gpu}
programs=(module device faults kinds order several update waits)

[ -d "$build" ] || meson setup "$build" -Dgst=disabled -Dexamples=false -Dbench=false -Dcuda=enabled \
  "-Dgpu_archs=${HOLOFLOW_GPU_ARCHS:-90}"
ninja -j "${JOBS:-$(nproc)}" -C "$build" cuda/libholocuda.so core/tools/holoflow tests/cuda/bench-cuda \
  "${programs[@]/#/tests/cuda/test-cuda-}"

rm -rf "$pack"
mkdir -p "$pack/lib" "$pack/lib-tests"
cp "$build/cuda/libholocuda.so" "$build/core/tools/holoflow" "$build/tests/cuda/bench-cuda" \
  "${programs[@]/#/$build/tests/cuda/test-cuda-}" \
  tests/cuda/band-pass.json tests/cuda/frames.json tests/cuda/pack/run.sh tests/cuda/pack/sanitize.sh "$pack"
# What the programs link, but for the C library, which belongs to the machine. The tests have a library of their own.
ldd "$build/core/tools/holoflow" | awk '/=> \//{print $3}' | sort -u |
  grep -v -E '/(libc|libm|libdl|libpthread|librt|libresolv|libgcc_s)\.so' |
  while read -r library; do cp -L "$library" "$pack/lib"; done
cp -L "$build/tests/library/libholoflow-1.0.so.0" "$pack/lib-tests"
strip --strip-unneeded "$pack"/lib/* "$pack"/lib-tests/* "$pack/libholocuda.so" "$pack/holoflow" "$pack/bench-cuda" "$pack"/test-cuda-*
chmod +x "$pack"/*.sh

du -sh "$pack"
echo "packed in $pack; on the GPU machine:"
echo "  bash $(basename "$pack")/run.sh"
echo "  bash $(basename "$pack")/sanitize.sh"
