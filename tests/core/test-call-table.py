# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/scheduling.md that says what may be called when, against the headers: test-call-table.py SOURCE_ROOT

It names each public function of scheduler, ends and sections once, and no other. In the first cell of a row the first
name is whole, those after it are without its prefix. Left out of the table are the functions that give a GType.
"""

import pathlib
import re
import sys

PREFIXES = {"scheduler": "holo_scheduler_", "end": "holo_end_", "section": "holo_section_"}

root = pathlib.Path(sys.argv[1])
number = failed = 0


def check(name, complaints):
    global number, failed
    number += 1
    for complaint in complaints:
        print(f"# {complaint}")
    failed += bool(complaints)
    print(f"{'not ok' if complaints else 'ok'} {number} - {name}")


def public_functions(noun):
    text = (root / "core" / "runtime" / f"holo-{noun}.h").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    names = re.findall(r"^HOLO_API\s[^;]*?(holo_\w+) \(", text, re.MULTILINE)
    return {name for name in names if not name.endswith("_get_type")}


def rows():
    """The cells of each row but the two of the head."""
    section = (root / "docs" / "scheduling.md").read_text().split("\n## Threads: what may be called when\n")[1]
    table = [line for line in section.split("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table if not line.startswith("|---")]


def named_functions(cell):
    """Whole names, of cells that begin with one of a function."""
    names = re.findall(r"`(\w+)`", cell)
    prefix = next((p for p in PREFIXES.values() if names and names[0].startswith(p)), None)
    if prefix is None or not cell.startswith("`"):
        return []
    return names[:1] + [prefix + name for name in names[1:]]


head, *body = rows()
named = [name for row in body for name in named_functions(row[0])]
declared = {noun: public_functions(noun) for noun in PREFIXES}

print(f"1..{len(PREFIXES) + 3}")
for noun, functions in declared.items():
    check(f"every function of holo-{noun}.h has a row",
          [f"{name} is not in the table" for name in sorted(functions - set(named))] or
          ([] if len(functions) > 5 else [f"only {sorted(functions)} were found in the header"]))
check("every name is one of a function",
      [f"no header declares {name}" for name in named if name not in set().union(*declared.values())])
check("no function has two rows", [f"{name} is named twice" for name in sorted({n for n in named if named.count(n) > 1})])
check("every row is as long as the head", [" | ".join(row) for row in body if len(row) != len(head)])
sys.exit(1 if failed else 0)
