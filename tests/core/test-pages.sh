#!/bin/sh
# The pages of the kinds in the repository say what the library says: test-pages.sh TOOL SOURCE_ROOT
set -eu
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
echo "1..1"
"$2/docs/generate.sh" "$1" "$new"
if diff -ru "$2/docs/tasks" "$new" >"$new.diff" 2>&1; then
  echo "ok 1 - the pages are up to date"
else
  sed 's/^/# /' "$new.diff"
  echo "not ok 1 - docs/tasks/ is out of date: run docs/generate.sh with the built tool"
fi
rm -f "$new.diff"
