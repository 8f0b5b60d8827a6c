#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the GPU tests and packs them with the libraries they need, for a machine
# that has a GPU and an NVIDIA driver but neither GLib nor this project.  Prints
# the command to run there.
#
# Usage: tests/gpu.sh [FOLDER]      (default: build-tests/gpu-pack)
#
# HOLOFLOW_GPU_ARCHS picks the architectures (default: 90), JOBS how many
# compilers run at a time.  The other machine's C library must not be older.

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
pack=${1:-build-tests/gpu-pack}
build=build-tests/gpu
programs=(module device kinds order)

[ -d "$build" ] || meson setup "$build" -Dgst=disabled -Dexamples=false -Dbench=false -Dcuda=enabled \
  "-Dgpu_archs=${HOLOFLOW_GPU_ARCHS:-90}"
ninja -j "${JOBS:-$(nproc)}" -C "$build" cuda/libholocuda.so "${programs[@]/#/tests/cuda/test-cuda-}"

mkdir -p "$pack/lib"
cp "$build/cuda/libholocuda.so" "${programs[@]/#/$build/tests/cuda/test-cuda-}" "$pack"
# What the programs link, but for the C library, which belongs to the machine.
ldd "$build/tests/cuda/test-cuda-device" | awk '/=> \//{print $3}' |
  grep -v -E '/(libc|libm|libdl|libpthread|librt|libresolv|libgcc_s)\.so' |
  while read -r library; do cp -L "$library" "$pack/lib"; done

cat > "$pack/run.sh" <<'RUN'
#!/usr/bin/env bash
# Runs the GPU tests: run.sh [compute-sanitizer --tool memcheck --error-exitcode 9]
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export G_DEBUG=gc-friendly,fatal-criticals HOLOFLOW_MODULE_PATH= HOLOFLOW_TEST_CUDA_MODULE=$here/libholocuda.so
failed=0
for name in module device kinds order; do
  output=$("$@" "$here/test-cuda-$name" --verbose 2>&1) || failed=1
  printf '%s\n' "$output"
  # a machine that should have a GPU and shows none has failed
  grep -q 'SKIP no CUDA device' <<< "$output" && failed=1
done
exit $failed
RUN
chmod +x "$pack/run.sh"
echo "packed in $pack; on the GPU machine: bash $(basename "$pack")/run.sh"
