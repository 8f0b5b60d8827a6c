# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A block of code out of a page of the documentation: extract-block.py PAGE LANGUAGE OUTPUT, the first of that language."""

import pathlib
import re
import sys

page, language, output = sys.argv[1:4]
block = re.search(rf"^```{language}\n(.*?)^```$", pathlib.Path(page).read_text(), re.MULTILINE | re.DOTALL)
pathlib.Path(output).write_text(block[1])
