# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs in the documentation do what it says: test-doc-programs.py README_PROGRAM README_GRAPH FROM_C FROM_C_GRAPH PAGE

README_GRAPH is the first graph of graph-format.md, which README sends one to; PAGE is from-c.md, which shows what is printed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

readme, readme_graph, from_c, from_c_graph, page = map(os.path.abspath, sys.argv[1:6])
number = failed = 0


def check(name, ok, result):
    global number, failed
    number += 1
    failed += not ok
    if not ok:
        print(f"# {result}")
    print(f"{'ok' if ok else 'not ok'} {number} - {name}")


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=30)


print("1..5")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.symlink(readme_graph, "graph.json")
    result = run(readme)
    check("README's program runs the first graph", result.returncode == 0 and result.stderr == "", result)
    check("a hundred arrays are written", pathlib.Path("roots.npy").stat().st_size == 128 + 100 * 16 * 4, os.listdir())
    os.remove("graph.json")
    result = run(readme)
    check("README's program says what is missing", result.returncode == 1 and "graph.json" in result.stderr, result)
    result = run(from_c, from_c_graph)
    shown = re.search(r"^It prints\n\n```\n(.*?)^```$", pathlib.Path(page).read_text(), re.MULTILINE | re.DOTALL)[1]
    check("from-c.md shows what its program prints",
          result.returncode == 0 and result.stdout.startswith(shown) and "contrast" in result.stdout[len(shown):], result)
    result = run(from_c, readme_graph)
    check("the program of from-c.md needs its ends", result.returncode == 1 and '"camera"' in result.stderr, result)
    os.chdir("/")
sys.exit(1 if failed else 0)
