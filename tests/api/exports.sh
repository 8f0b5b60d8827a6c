#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A library exports the names in a list and no other, so that a change is seen.
# With --write the list becomes what the library exports.
#
# Usage: exports.sh LIBRARY LIST [--write]

set -euo pipefail
export LC_ALL=C
# without the marks of some linkers
exported=$(nm -D --defined-only "$1" | awk '$3 !~ /^(__bss_start|_edata|_end)$/ { print $3 }' | sort)
[ "${3:-}" != --write ] || printf '%s\n' "$exported" >"$2"

echo "1..2"
failed=0
# what is private or another library's
strange=$(grep -v -E '^(holo|gst_holo|gst_buffer_(add|get)_holo)_' <<<"$exported" || true)
if [ -z "$strange" ]; then
  echo "ok 1 - only public names"
else
  printf '# %s\n' $strange
  echo "not ok 1 - only public names"
  failed=1
fi
if difference=$(diff "$2" - <<<"$exported"); then
  echo "ok 2 - exactly the $(wc -l <"$2") names of $(basename "$2")"
else
  grep '^[<>]' <<<"$difference" | sed 's/^</# no longer exported:/; s/^>/# new:/'
  echo "# if that is meant: $0 $1 $2 --write"
  echo "not ok 2 - exactly the names of $(basename "$2")"
  failed=1
fi
exit $failed
