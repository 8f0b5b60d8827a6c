# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The JSON Schema of graph files against the reader: test-json-schema.py GRAPH_READER SOURCE_ROOT

The schema knows settings by the names that we write, the reader by others too. So the schema must accept exactly what the
reader accepts in the written spelling; and of every graph that the reader accepts, in whatever spelling, it must accept what
the library writes for it. What a schema cannot know is left out: 2.0 for 2, edges to nodes that are not there, keys that
appear twice.
"""

import itertools
import json
import pathlib
import random
import subprocess
import sys

try:
    import jsonschema
    validator_class = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("1..0 # SKIP no Python module jsonschema with draft 2020-12")
    sys.exit(0)

reader, source_root = sys.argv[1:3]
schema = json.loads(subprocess.run([reader, "schema"], check=True, capture_output=True, text=True).stdout)
validator_class.check_schema(schema)
validator = validator_class(schema)
number = failed = 0


def is_written(graph):
    """Whether the settings in `graph`, which the reader accepts, are spelt as we write them."""
    for value in graph["nodes"].values():
        kind = {"FFTShiftNp": "FFTShift"}.get(value["type"], value["type"])
        properties = schema["$defs"][kind]["properties"]
        for key, setting in (value["params"] or {}).items():
            if key not in properties:
                return False
            type_names = properties[key].get("type", "")
            if isinstance(setting, dict) and type_names != "":
                return False  # a group of that name
            if "array" in type_names and not isinstance(setting, (list, type(None))):
                return False
    return True


def compare(name, graphs):
    """One test over `graphs`; some of them are accepted in the written spelling, some in another, some refused."""
    global number, failed
    number += 1
    text = "".join(json.dumps(graph) + "\n" for graph in graphs)
    answers = subprocess.run([reader, "read"], input=text, check=True, capture_output=True,
                             text=True).stdout.splitlines()
    ok = len(answers) == len(graphs)
    n_accepted = n_written = 0
    for graph, answer in zip(graphs, answers):
        accepted = answer.startswith("ok ")
        written = accepted and is_written(graph)
        n_accepted += accepted
        n_written += written
        if validator.is_valid(graph) != written:
            ok = False
            print(f"# {json.dumps(graph)}: reader: {answer}; schema: "
                  f"{[error.message[:200] for error in validator.iter_errors(graph)]}")
        if accepted and not validator.is_valid(json.loads(answer[3:])):
            ok = False
            print(f"# {json.dumps(graph)} is written as {answer[3:]}, which the schema refuses")
    print(f"# {len(graphs)} graphs, {n_accepted} accepted, {n_written} in the written spelling")
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}")
    return n_accepted, n_written


def node(kind, params):
    return {"nodes": {"a": {"type": kind, "params": params}}}


def toy(**params):
    return node("Toy", {"target": "F32", **params})


VALUES = [None, True, 0, 1, -1, 7, 8, 100, 101, 0.5, 0.7, 2.5, 1e300, "", "F32", "U8", "text", [], [1], [0.5], [-8, 7],
          [8], [[1]], ["x"], [None], {}, {"a": 1}, {"depth": 1}]


def spell(name):
    """All spellings of a name, as lists of keys."""
    words = name.split("-")
    for borders in itertools.product("-_.", repeat=len(words) - 1):
        text = "".join(itertools.chain.from_iterable(zip(words, borders))) + words[-1]
        yield text.split(".")


def put(params, keys, value):
    """Gives `value` at `keys`, unless something is there that has no room for it."""
    for key in keys[:-1]:
        params = params.setdefault(key, {})
        if not isinstance(params, dict):
            return
    params[keys[-1]] = value


NAMES = ["target", "goal-type", "ring-r-inner", "ring-r-outer", "ring-width", "mix-width", "mix-a", "mix-b", "size",
         "size-max", "extra", "extra-depth", "anything", "use-buffer", "old", "old-new", "gpu-grid-size", "weight",
         "axes", "axis", "taps", "name-text", "enabled"]
GROUPS = ["ring", "ring-r", "mix", "gpu", "gpu-grid", "name"]
WRONG = ["", "ring-", "-ring", "ring--r", "r-inner", "Target", "ring-r-inner-x", "axes-", "axes-x", "unknown", "goal"]


def single_settings():
    for name in NAMES + GROUPS + WRONG:
        for number, keys in enumerate(spell(name)):
            for value in VALUES if number == 0 else [None, 1, "F32", {}, {"a": 1}]:
                params = {} if name in ("target", "goal-type") else {"target": "F32"}
                put(params, keys, value)
                yield node("Toy", params)


def given_twice():
    """Each pair of spellings of settings that may be one."""
    same = ["ring-r-outer", "ring-width", "mix-width", "ring", "ring-r", "mix"]
    for first, second in itertools.combinations_with_replacement(same, 2):
        for a, b in itertools.product(spell(first), spell(second)):
            params = {"target": "F32"}
            put(params, a, None if first in GROUPS else 5)
            put(params, b, None if second in GROUPS else 6)
            yield node("Toy", params)
    for a, b in itertools.product([["target"], *spell("goal-type")], repeat=2):
        params = {}
        put(params, a, "F32")
        put(params, b, "F32")
        yield node("Toy", params)


def random_settings(kinds, count):
    source = random.Random(1)
    for _ in range(count):
        kind = source.choice(kinds)
        names = NAMES + GROUPS if kind == "Toy" else list(schema["$defs"][kind]["properties"])
        params = {}
        for name in source.sample(names, min(len(names), source.randint(0, 5))):
            keys = source.choice(list(spell(name.replace("_", "-"))))
            put(params, keys, source.choice(VALUES))
        if kind == "Toy" and source.random() < 0.9:
            params.setdefault("target", "F32")
        yield node(kind, params)


def values_of_kinds(kinds):
    """A likely value for every setting of every kind, alone and beside the required ones."""
    for kind in kinds:
        definition = schema["$defs"][kind]
        required = {}
        for key in definition["required"]:
            property = definition["properties"][key]
            required[key] = property["enum"][0] if "enum" in property else {
                "string": "x", "integer": 4, "number": 4, "array": [1, 1]}[property["type"]]
        for key, value in itertools.product(definition["properties"], VALUES):
            yield node(kind, {**required, key: value})


def shapes():
    """Graphs that differ beside the settings."""
    queue = {"type": "Queue", "params": {}}
    edge = {"from": "a", "out": 0, "to": "b", "in": 0}
    nodes = {"a": queue, "b": queue}
    yield from [None, [], {}, {"nodes": None}, {"nodes": []}, {"nodes": {}}, {"nodes": {"": queue}}]
    yield from [{"nodes": nodes, "edges": edges}
                for edges in [None, {}, [], [edge], [edge, edge], [None], [[]], [{}], [{**edge, "note": 1}],
                              [{**edge, "out": "0"}], [{**edge, "from": 1}], [{**edge, "in": None}], [{**edge, "in": 0.5}]]]
    for key in edge:
        yield {"nodes": nodes, "edges": [{k: v for k, v in edge.items() if k != key}]}
    yield from [{"nodes": {"a": value}} for value in [None, 1, [], {}, {"type": "Queue"}, {"params": {}}, {**queue, "note": 1},
                                                      {**queue, "debug": False}, {**queue, "debug": None},
                                                      {**queue, "debug": 1}]]
    yield {"nodes": nodes, "edges": [], "note": [1, 2]}
    for params in [None, True, 1, 1.5, "", "x", [], [1], {}]:
        yield from [node("Queue", params), node("Toy", params), node("FFTShiftNp", params), node("FFTShift", params)]
    yield from [node(kind, {}) for kind in ["Queue", "queue", "", "Qeue", None, 1, "null", "FFTShiftNp"]]


def examples():
    for path in sorted(pathlib.Path(source_root, "docs", "examples").glob("*.json")):
        yield json.loads(path.read_text())


kinds = sorted(schema["$defs"])
tests = {
    "every spelling of one setting": list(single_settings()),
    "settings given twice": list(given_twice()),
    "settings of every kind": list(values_of_kinds(kinds)),
    "random settings": list(random_settings(kinds, 1000)) + list(random_settings(["Toy"], 1000)),
    "nodes and edges": list(shapes()),
}
print(f"1..{len(tests) + 1}")
for name, graphs in tests.items():
    accepted, written = compare(name, graphs)
    if not 0 < written <= accepted < len(graphs) or (written == accepted) == ("setting" in name):
        sys.exit(f"not a test: {accepted} of {len(graphs)} are accepted, {written} in the written spelling")
all_examples = list(examples())
if compare("the examples", all_examples) != (len(all_examples), len(all_examples)):
    sys.exit("an example is refused, or not spelt as we write")
sys.exit(1 if failed else 0)
