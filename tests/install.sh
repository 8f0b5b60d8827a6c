#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs what tests/run.sh built into a folder beside it, and uses it as
# somebody else's project would: headers, pkg-config, plugin, command, devenv.
#
# Usage: tests/install.sh [--summary FILE]      (see tests/run.sh)

set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=$PWD/build-tests/plain
prefix=$PWD/build-tests/installed
scratch=$PWD/build-tests/install-check
summary=
[ "${1:-}" != --summary ] || summary=$2

passed=0 failed=0

check () {
  local what=$1
  shift
  if "$@" >"$scratch/log" 2>&1 </dev/null; then
    printf 'ok      %s\n' "$what"
    passed=$((passed + 1))
  else
    printf 'FAILED  %s\n' "$what"
    tail -n 20 "$scratch/log"
    failed=$((failed + 1))
  fi
}

rm -rf "$prefix" "$scratch"
mkdir -p "$scratch"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$prefix/lib PATH=$prefix/bin:$PATH
export GST_PLUGIN_PATH=$prefix/lib/gstreamer-1.0 GST_REGISTRY=$scratch/registry.bin

# tests/run.sh configured the folder with this prefix
check "meson install" meson install -C "$build" --no-rebuild

# --- the library -----------------------------------------------------------

cat > "$scratch/use.c" <<'END'
#include <holoflow/holoflow.h>

int
main (void)
{
  const gint64 shape[] = { 4, 6 };
  HoloTensorDesc desc;
  guint64 n = 0;

  holo_tensor_desc_init (&desc, HOLO_DTYPE_F32, HOLO_MEM_LOC_HOST, 2, shape);
  return holo_tensor_desc_get_n_elements (&desc, &n, NULL) && n == 24 ? 0 : 1;
}
END
cp "$scratch/use.c" "$scratch/use-cxx.cc"

use () {
  local compiler=$1 source=$2 flags
  flags=$(pkg-config --cflags --libs holoflow-1.0) || return 1
  # shellcheck disable=SC2086
  $compiler -Wall -Wextra -Werror -o "$scratch/use" "$source" $flags && "$scratch/use"
}

check "a C program builds by pkg-config and runs" use "${CC:-cc} -std=c11" "$scratch/use.c"
check "a C++ program builds by pkg-config and runs" use "${CXX:-c++} -std=c++17" "$scratch/use-cxx.cc"

# Each header by itself, with what pkg-config gives and nothing else, by each compiler that is there.
headers_alone () {
  local languages=() headers flags
  read -ra flags < <(pkg-config --cflags "$1") || return 1
  mapfile -t headers < <(find "$prefix/include/$1" -name '*.h')
  ! command -v g++ >/dev/null || languages+=(gcc=c11 gcc=c17 g++=c++17 g++=c++20)
  ! command -v clang++ >/dev/null || languages+=(clang=c11 clang=c17 clang++=c++17 clang++=c++20)
  tests/api/headers.sh "${languages[@]}" -- "${headers[@]}" -- "${flags[@]}"
}
check "every header compiles by itself" headers_alone holoflow-1.0
# A folder below is not on the way: an application has "graph/" and "task/" of its own.
check "the only folder of headers is the top one" sh -c \
  'pkg-config --cflags-only-I holoflow-1.0 | tr " " "\n" | grep holoflow > "$0" && [ "$(cat "$0")" = "-I$1" ]' \
  "$scratch/folders" "$prefix/include/holoflow-1.0"

# --- the plugin and its library --------------------------------------------

if [ -d "$prefix/lib/gstreamer-1.0" ]; then
  check "gst-inspect-1.0 knows the plugin" gst-inspect-1.0 holoflow
fi
if [ -f "$PKG_CONFIG_PATH/gstreamer-holoflow-1.0.pc" ]; then
  check "the plugin's headers compile by themselves" headers_alone gstreamer-holoflow-1.0
fi

# --- the command -----------------------------------------------------------

if [ -x "$prefix/bin/holoflow" ]; then
  check "holoflow list" holoflow list
  check "holoflow inspect" holoflow inspect Sqrt
  check "holoflow in meson devenv" meson devenv -C "$build" holoflow list
fi

if [ -n "$summary" ]; then
  echo "$passed $failed 0" >>"$summary"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
