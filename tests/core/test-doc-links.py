# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the documentation points to is there: test-doc-links.py SOURCE_ROOT

Links between pages and to files; paths and headers that are named; and functions in a line that also links a file of C must
be defined in one of the files that the line links.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
pages = [page for page in [root / "README.md", *sorted(root.glob("docs/**/*.md")), root / "tests" / "README.md"]]
folders = "core|cuda|gst|tests|docs|fftw"
# Made by the reader of the page, or by a run.
made = {"core/tasks/gamma.c", "cuda/tasks/gamma.cu", "tests/tasks/test-gamma.c"}
n_checked = {"link": 0, "path": 0, "function": 0}
wrong = []


def check(what, ok, page, text):
    n_checked[what] += 1
    if not ok:
        wrong.append(f"{page.relative_to(root)}: there is no {text}")


def is_there(pattern):
    return any(True for _ in root.glob(pattern))


for page in pages:
    for line in page.read_text().splitlines():
        links = [link for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", line) if "://" not in link]
        for link in links:
            check("link", (page.parent / link).exists(), page, link)
        for path in re.findall(rf"(?<![\w/<.-])(?:{folders})/[\w./*-]*\w\.(?:c|h|cu|cuh|py|sh|md|json)\b", line):
            check("path", path in made or is_there(path), page, path)
        sources = [(page.parent / link).read_text() for link in links if link.endswith(".c") and (page.parent / link).exists()]
        # Only where the file is said to have it: "`f()` in [file](file)".
        for functions in re.findall(r"((?:`\w+(?:\(\))?`,? )+)in \[", line) if sources else []:
            for name in re.findall(r"`(\w+)", functions):
                check("function", any(re.search(rf"^(?:HOLO_\w+ \(|){name}\b", text, re.MULTILINE) for text in sources), page,
                      f"{name} in what is linked beside it")

for text in wrong:
    print(f"# {text}")
print(f"# {n_checked}")
print("1..1")
ok = not wrong and all(number > 9 for number in n_checked.values())
print(f"{'ok' if ok else 'not ok'} 1 - links, paths and functions in {len(pages)} pages")
sys.exit(0 if ok else 1)
