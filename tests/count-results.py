#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts test cases in Meson's testlog.json files.

Usage: count-results.py [--failures FILE] TESTLOG...

Prints "PASSED FAILED SKIPPED".  The cases of a program that speaks TAP count
one by one; any other program is one case.  A program that failed, crashed or
timed out without a failed case of its own is one failure.  What was skipped,
and why, is told on standard error.  Of what failed, name and last words are
added to FILE.
"""

import argparse
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


def last_words(entry, n_lines=12):
    """What a failed program said last, and the cases that it counted as failed."""
    cases = [name for ok, name, directive, _ in tap_cases(entry.get("stdout") or "") if not ok and not directive]
    said = ((entry.get("stdout") or "") + (entry.get("stderr") or "")).splitlines()
    lines = [f"failed: {entry['name']} ({entry['result']}) {' '.join(cases)}".rstrip()]
    return "\n".join(lines + ["  " + line for line in said[-n_lines:]]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Counts test cases in Meson's testlog.json files.")
    parser.add_argument("--failures", metavar="FILE")
    parser.add_argument("logs", nargs="+", metavar="TESTLOG")
    arguments = parser.parse_args()
    total = [0, 0, 0]
    skips = collections.defaultdict(list)
    failures = []
    for path in arguments.logs:
        with open(path, encoding="utf-8") as log:
            for line in log:
                if line.strip():
                    entry = json.loads(line)
                    counts = count_program(entry, skips)
                    total = [a + b for a, b in zip(total, counts)]
                    if counts[1] > 0:
                        failures.append(last_words(entry))
    if arguments.failures and failures:
        with open(arguments.failures, "a", encoding="utf-8") as file:
            file.writelines(failures)
    for reason, names in sorted(skips.items()):
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        print(f"skipped {len(names)}: {reason} ({shown})", file=sys.stderr)
    print(*total)


if __name__ == "__main__":
    main()
