#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks that every C file is formatted as .clang-format says; --fix formats them.
# Versions of clang-format differ in details: this is for 14 (Debian 12: package
# clang-format-14; elsewhere: pip install clang-format==14.0.6).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

formatter=
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    formatter=$candidate
    break
  fi
done
[ -n "$formatter" ] || { echo "format.sh: needs clang-format 14" >&2; exit 2; }

if [ "${1:-}" = --fix ]; then
  git ls-files -z '*.c' '*.h' ':!third_party' | xargs -0 "$formatter" -i
  exit
fi
summary=
[ "${1:-}" != --summary ] || summary=$2
ok=0 bad=0
while IFS= read -r -d '' file; do
  if "$formatter" --dry-run -Werror "$file" 2>/dev/null; then
    ok=$((ok + 1))
  else
    bad=$((bad + 1))
    echo "not formatted: $file (tests/format.sh --fix)"
  fi
done < <(git ls-files -z '*.c' '*.h' ':!third_party')
# one check, however many files there are
[ -z "$summary" ] || echo "$((bad == 0 && ok > 0)) $((bad > 0 || ok == 0)) 0" >>"$summary"
echo "$ok of $((ok + bad)) files are formatted"
[ $bad -eq 0 ] && [ $ok -gt 0 ]
