#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each header compiles by itself in every language that may include it, without
# a warning; and so does what the macros of the headers make (use.c).
#
# Usage: headers.sh COMPILER=LANGUAGE... -- HEADER... -- FLAG...
#   COMPILER=LANGUAGE  c++=c++20: the command, and a value of its -std

set -uo pipefail
use=$(dirname "${BASH_SOURCE[0]}")/use.c
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

languages=() headers=() flags=(-Wall -Wextra -pedantic -Werror)
while [ "$1" != -- ]; do languages+=("$1"); shift; done
shift
while [ "$1" != -- ]; do headers+=("$1"); shift; done
shift
flags+=("$@")

number=0 failed=0
tell () {
  number=$((number + 1))
  if [ -s "$scratch/log" ]; then
    failed=1
    sed 's/^/# /' "$scratch/log" | head -n 40
    echo "not ok $number - $1"
  else
    echo "ok $number - $1"
  fi
}

# A module made in C++ is found by its entry function's plain name.
use_macros () {
  "${compile[@]}" -c -o "$scratch/use.o" "$use" >"$scratch/log" 2>&1 || return
  nm -g "$scratch/use.o" | grep -q ' T holo_module_query$' || echo "holo_module_query() has no C linkage" >"$scratch/log"
}

[ ${#headers[@]} -gt 5 ] || { echo "not ok 1 - ${#headers[@]} headers were given"; exit 1; }
echo "1..$((2 * ${#languages[@]}))"
for language in "${languages[@]}"; do
  compile=("${language%%=*}" "-std=${language#*=}" -x "$([[ $language = *=*++* ]] && echo c++ || echo c)" "${flags[@]}")
  printf '%s\0' "${headers[@]}" |
    xargs -0 -P "$(nproc)" -I '{}' "${compile[@]}" -fsyntax-only -include '{}' /dev/null >"$scratch/log" 2>&1 ||
    echo "the compiler ended with an error" >>"$scratch/log"
  tell "$language: each of ${#headers[@]} headers by itself"
  use_macros
  tell "$language: what the macros make"
done
exit $failed
