#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts test cases in Meson's testlog.json files.

Prints "PASSED FAILED SKIPPED".  The cases of a program that speaks TAP count
one by one; any other program is one case.  A program that failed, crashed or
timed out without a failed case of its own is one failure.  What was skipped,
and why, is told on standard error.
"""

import collections
import json
import re
import sys

CASE = re.compile(r"^( *)(not )?ok\b *\d*(?: *-)? *([^#]*?) *(?:# *(SKIP|TODO)\b *(.*))?$", re.IGNORECASE)
PLAN = re.compile(r"^( *)1\.\.\d+")


def tap_cases(text):
    """The leaves of a TAP stream: (ok, name, directive, reason).

    A line that closes a block of deeper indentation sums that block up and is
    no case of its own.
    """
    cases = []
    depths = [0]
    for line in text.splitlines():
        indented = PLAN.match(line) or CASE.match(line)
        if not indented:
            continue
        depth = len(indented.group(1))
        if depth > depths[-1]:
            depths.append(depth)
        found = CASE.match(line)
        if not found:
            continue
        if depth < depths[-1]:
            while depth < depths[-1]:
                depths.pop()
            continue
        cases.append((not found.group(2), found.group(3), (found.group(4) or "").upper(), found.group(5) or ""))
    return cases


def count_program(entry, skips):
    passed = failed = skipped = 0
    result = entry["result"]
    for ok, name, directive, reason in tap_cases(entry.get("stdout") or ""):
        if directive:
            skipped += 1
            skips[reason or directive.lower()].append(name)
        elif ok:
            passed += 1
        else:
            failed += 1
    if result in ("OK", "EXPECTEDFAIL"):
        if passed + failed + skipped == 0:
            passed = 1
    elif result == "SKIP":
        if passed + failed + skipped == 0:
            skipped = 1
            skips["program skipped"].append(entry["name"])
    elif failed == 0:
        failed = 1
    return passed, failed, skipped


def main(paths):
    total = [0, 0, 0]
    skips = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding="utf-8") as log:
            for line in log:
                if line.strip():
                    counts = count_program(json.loads(line), skips)
                    total = [a + b for a, b in zip(total, counts)]
    for reason, names in sorted(skips.items()):
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        print(f"skipped {len(names)}: {reason} ({shown})", file=sys.stderr)
    print(*total)


if __name__ == "__main__":
    main(sys.argv[1:])
