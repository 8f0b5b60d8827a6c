#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Packs the plugin, the CUDA module and the tests of pipelines on a GPU, for a
# machine that has a GPU, an NVIDIA driver and GStreamer of the version built for
# (in the usual places, or where the environment says).  Prints the commands to
# run there.  tests/gpu.sh does the same for the tests without GStreamer.
#
#   run.sh     the tests, each by itself
#   bench.sh   the same graph by the tool and in GStreamer
#
# Usage: tests/gpu-gst.sh [FOLDER]      (default: build-tests/gpu-gst-pack)
#
# HOLOFLOW_GPU_ARCHS picks the architectures (default: 90), JOBS how many
# compilers run at a time, BUILD the build folder (default: one of its own).
# CUDA_MODULE names a libholocuda.so that was built elsewhere, from the same
# state: then nvcc is not needed, only cuda.h and cudaGL.h (CPATH helps).

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
pack=${1:-build-tests/gpu-gst-pack}
build=${BUILD:-build-tests/gpu-gst}
programs=(tests/gst/test-gst-cuda-elements tests/gst/test-gst-cuda-pipelines tests/gst/test-gst-device)

targets=(gst/libgstholoflow.so core/tools/holoflow "${programs[@]}")
[ -n "${CUDA_MODULE:-}" ] || targets+=(cuda/libholocuda.so)

[ -d "$build" ] || meson setup "$build" -Dgst=enabled -Dgst_cuda=enabled -Dexamples=false -Dbench=false \
  "-Dcuda=$([ -n "${CUDA_MODULE:-}" ] && echo disabled || echo enabled)" "-Dgpu_archs=${HOLOFLOW_GPU_ARCHS:-90}"
ninja -j "${JOBS:-$(nproc)}" -C "$build" "${targets[@]}"

rm -rf "$pack"
mkdir -p "$pack"/{bin,lib,lib-tests,plugins,modules,programs,examples}
cp "$build/gst/libgstholoflow.so" "$pack/plugins"
cp "${CUDA_MODULE:-$build/cuda/libholocuda.so}" "$pack/modules"
cp "$build"/core/libholoflow-1.0.so.0 "$build"/gst/libgstholoflow-1.0.so.0 "$pack/lib"
# The tests have a library of their own.
cp "$build"/tests/library/libholoflow-1.0.so.0 "$pack/lib-tests"
cp "${programs[@]/#/$build/}" "$pack/programs"
cp "$build/core/tools/holoflow" "$pack/bin"
cp docs/examples/off-axis.json tests/cuda/band-pass.json tests/cuda/frames.json "$pack/examples"
find "$pack" -type f ! -name '*.json' -exec strip --strip-unneeded {} +

cp tests/gst/pack/run.sh tests/gst/pack/bench.sh "$pack"
chmod +x "$pack"/*.sh

du -sh "$pack"
echo "packed in $pack; on the GPU machine:"
echo "  bash $(basename "$pack")/run.sh"
echo "  bash $(basename "$pack")/bench.sh"
