# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every public name has a comment that names its parameters and the version it came with: test-docs.py HEADER... -- SOURCE...

Comments of functions stand in a header or in a source. Left out are functions that give a GType or do a GType's casts.
"""

import pathlib
import re
import sys

split = sys.argv.index("--")
headers = [pathlib.Path(name) for name in sys.argv[1:split]]
sources = [pathlib.Path(name) for name in sys.argv[split + 1:]]
text = {path: path.read_text() for path in headers + sources}
blocks = {}
for path, content in text.items():
    for block in re.findall(r"/\*\*\n \* .*?\*/", content, re.DOTALL):
        name = re.match(r"/\*\*\n \* (\w+):", block)
        if name:
            blocks.setdefault(name[1], []).append(block)


def strip(content):
    return re.sub(r"/\*.*?\*/", "", content, flags=re.DOTALL)


def parameters(arguments):
    """Names in "guint *n, void (*func) (int)"."""
    arguments = re.sub(r"\(\*(\w+)\) \([^)]*\)", r"\1", arguments)
    return [re.search(r"(\w+)(\[\w*\])?$", a.strip())[1] for a in arguments.split(",") if a.strip() not in ("void", "...")]


def prototypes(content):
    return re.findall(r"^(?:GST_)?HOLO_API\s[^;(]*?(\w+) \(([^;]*?)\)\s*(?:G_GNUC_PRINTF \(\d, \d\))?;", strip(content), re.MULTILINE)


functions, others = {}, {}
for header in headers:
    content = strip(text[header])
    for name, arguments in prototypes(text[header]):
        if not name.endswith("_get_type") and not name.startswith("G_DECLARE"):
            functions[name] = parameters(arguments)
    for name, arguments in re.findall(r"^typedef [^;(]*\(\*(\w+)\) \(([^;]*)\);", content, re.MULTILINE):
        others[name] = parameters(arguments)
    for name in re.findall(r"^struct _(\w+)\n\{|^\} (\w+);", content, re.MULTILINE):
        others[name[0] or name[1]] = []
    for name in re.findall(r"^G_DECLARE_\w+_TYPE \((\w+),", content, re.MULTILINE):
        others[name] = []
    for name in re.findall(r"^#define ((?:GST_)?HOLO_\w+)", content, re.MULTILINE):
        if "_TYPE_" not in name and not name.endswith("_API"):
            others[name] = []

number = failed = 0


def check(what, complaints, enough):
    global number, failed
    number += 1
    complaints = complaints or ([] if enough else ["nothing was found to check"])
    for complaint in complaints:
        print(f"# {complaint}")
    failed += bool(complaints)
    print(f"{'not ok' if complaints else 'ok'} {number} - {what}")


names = {**functions, **others}
print("1..3")
check(f"{len(functions)} functions and {len(others)} other names have a comment",
      [f"{name}: no comment" for name in names if name not in blocks], len(functions) > 20 and len(others) > 10)
check("comments name every parameter",
      [f"{name}: @{p} is missing" for name, ps in names.items() for p in ps
       if name in blocks and not any(f" * @{p}:" in block for block in blocks[name])], True)
check("comments name the version",
      [f"{name}: no Since:" for name in names if name in blocks and not any(" Since: " in b for b in blocks[name])], True)
sys.exit(failed > 0)
