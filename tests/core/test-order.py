#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The folders of the library stand in one order: a file includes from its own folder and from those before it. So do the
nouns inside runtime/, where each has files of its own: holo-NOUN.h, holo-NOUN-private.h, holo-NOUN-*.c."""

import pathlib
import re
import sys

ORDER = ['base', 'tensor', 'device', 'event', 'task', 'graph', 'compiler', 'runtime', 'fft', 'tasks', 'tools']
NOUNS = ['statistics', 'waiter', 'held-frame', 'node-record', 'owner', 'worker', 'end', 'boundary', 'part', 'section', 'bound',
         'runner', 'scheduler']
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Stands in no folder: the umbrella header.
TOP = {'holoflow.h'}


def find_included(core, source, name):
    """The file that `name` means in `source`, relative to core; None when it is not of the library."""
    for folder in (source.parent, core):
        path = (folder / name).resolve()
        if path.is_file() and core in path.parents:
            return path.relative_to(core)
    return None


def get_noun(place):
    """The number of the noun that a file of runtime/ belongs to: of the longest name that fits."""
    name = place.stem.removeprefix('holo-')
    fitting = [noun for noun in NOUNS if name == noun or name.startswith(noun + '-')]
    return NOUNS.index(max(fitting, key=len)) if fitting else None


def is_above(included, place):
    """Whether `place` may not include `included`."""
    if len(included.parts) == 1:
        return True
    if included.parts[0] == place.parts[0] == 'runtime':
        nouns = get_noun(included), get_noun(place)
        return None in nouns or nouns[0] > nouns[1]
    return ORDER.index(included.parts[0]) > ORDER.index(place.parts[0])


def check(core):
    faults, n_includes = [], 0
    for source in sorted(p for p in core.rglob('*') if p.suffix in ('.c', '.h', '.in')):
        place = source.relative_to(core)
        if len(place.parts) == 1:
            if place.name not in TOP:
                faults.append(f'{place}: stands in no folder')
            continue
        if place.parts[0] not in ORDER:
            continue
        for name in INCLUDE.findall(source.read_text()):
            included = find_included(core, source, name)
            if included is None:
                continue
            n_includes += 1
            if is_above(included, place):
                faults.append(f'{place} includes {included}, which stands above it')
    return faults, n_includes


def main():
    faults, n_includes = check(pathlib.Path(sys.argv[1]).resolve())
    print('1..2')
    print('ok 1 - includes point downward' if not faults else 'not ok 1 - includes point downward')
    for fault in faults:
        print('#', fault)
    # a check that finds nothing to check has failed
    print('ok 2 - includes were found' if n_includes > 300 else 'not ok 2 - includes were found')
    sys.exit(bool(faults) or n_includes <= 300)


main()
