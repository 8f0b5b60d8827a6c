# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every message about a wrong graph starts with the right place: test-errors.py GRAPH_READER SOURCE_ROOT

Right graphs (the examples, and a few that use every kind between them) are spoilt in one place after the other: each key,
kind, slot, name of a node, name of a setting and value. The reader or the compiler must refuse each, at that place, with the
name that stood there before if a name was spoilt. What cannot be made like that stands in a table.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

reader, source_root = sys.argv[1:3]
schema = json.loads(subprocess.run([reader, "schema"], check=True, capture_output=True, text=True).stdout)


def escape(key):
    return key.replace("~", "~0").replace("/", "~1")


def pointer(*keys):
    return "".join("/" + escape(str(key)) for key in keys)


def misspell(name, names):
    """`name` with two letters swapped or one more, and not another of `names`."""
    for i in range(len(name) // 2, len(name) - 1):
        swapped = name[:i] + name[i + 1] + name[i] + name[i + 2:]
        if swapped != name and swapped not in names:
            return swapped
    return name + "x"


def rename(members, old, new):
    """`members` with the key `old` called `new`, in its place."""
    return {new if key == old else key: value for key, value in members.items()}


class Case:
    """A spoilt graph, the place that the message must name (one of several, for a cycle) and a part of its text."""

    def __init__(self, graph, places, *parts):
        self.graph = graph
        self.places = [places] if isinstance(places, str) else places
        self.parts = parts

    def check(self, answer):
        place = answer.split(": ")[0]
        text = answer[len(place):]
        return place in self.places and all(part in text for part in self.parts) and \
            text.startswith(": ") and not re.search(r"::|: :|; ;|\?;|\?\?|: *$", text)


def at(graph, *keys):
    """A copy of `graph`, and what is at `keys` in it."""
    graph = copy.deepcopy(graph)
    part = graph
    for key in keys:
        part = part[key]
    return graph, part


def suggestion(name):
    return f'did you mean "{name}"'


# ---- one place after the other ----

def keys(graph):
    for key in ("nodes", "edges"):
        yield Case(rename(graph, key, misspell(key, [])), pointer(misspell(key, [])), suggestion(key))
        for value in (None, 1, "x", [] if key == "nodes" else {}):
            yield Case({**graph, key: value}, pointer(key), "expected an")
    yield Case({key: value for key, value in graph.items() if key != "nodes"}, "/nodes", "missing")
    yield Case({**graph, "nodes": {}, "edges": []}, "/nodes", "the graph is empty")
    for name in graph["nodes"]:
        yield from node_keys(graph, name)
    for number in range(len(graph["edges"])):
        yield from edge_keys(graph, number)


def node_keys(graph, name):
    for key in ("type", "params"):
        spoilt, nodes = at(graph, "nodes")
        nodes[name] = rename(nodes[name], key, misspell(key, []))
        yield Case(spoilt, pointer("nodes", name, misspell(key, [])), suggestion(key))
        spoilt, node = at(graph, "nodes", name)
        del node[key]
        yield Case(spoilt, pointer("nodes", name, key), "missing")
    for key, value in {"type": 1, "params": [1], "debug": "yes", "debgu": True}.items():
        spoilt, node = at(graph, "nodes", name)
        node[key] = value
        yield Case(spoilt, pointer("nodes", name, key), suggestion("debug") if key == "debgu" else "expected")
    spoilt, nodes = at(graph, "nodes")
    nodes[name] = 1
    yield Case(spoilt, pointer("nodes", name), "expected an object")


def edge_keys(graph, number):
    place = pointer("edges", number)
    for key in ("from", "out", "to", "in"):
        spoilt, edges = at(graph, "edges")
        del edges[number][key]
        yield Case(spoilt, f"{place}/{key}", "missing")
        spoilt, edges = at(graph, "edges")
        edges[number][key] = None
        yield Case(spoilt, f"{place}/{key}", "expected")
        wrong = misspell(key, [])
        spoilt, edges = at(graph, "edges")
        edges[number] = rename(edges[number], key, wrong)
        yield Case(spoilt, f"{place}/{wrong}", suggestion(key))
    spoilt, edges = at(graph, "edges")
    edges[number] = "x"
    yield Case(spoilt, place, "expected an object")


def kinds(graph):
    for name, node in graph["nodes"].items():
        wrong = misspell(node["type"], schema["$defs"])
        spoilt, part = at(graph, "nodes", name)
        part["type"] = wrong
        yield Case(spoilt, pointer("nodes", name, "type"), f'no kind "{wrong}"', suggestion(node["type"]))


def references(graph):
    for number, edge in enumerate(graph["edges"]):
        for key in ("from", "to"):
            wrong = misspell(edge[key], graph["nodes"])
            spoilt, part = at(graph, "edges", number)
            part[key] = wrong
            yield Case(spoilt, pointer("edges", number, key), f'no node "{wrong}"', f'"{edge[key]}"', "did you mean ")


def slots(graph):
    for number, edge in enumerate(graph["edges"]):
        for key in ("out", "in"):
            spoilt, part = at(graph, "edges", number)
            part[key] = -1
            yield Case(spoilt, pointer("edges", number, key), "no slot -1")
        spoilt, part = at(graph, "edges", number)
        part["out"] = 65536
        yield Case(spoilt, pointer("edges", number, "out"), "no slot 65536")
        spoilt, part = at(graph, "edges", number)
        part["out"] = 60
        yield Case(spoilt, pointer("edges", number, "out"), "there is no output 60")
        spoilt, part = at(graph, "edges", number)
        part["in"] = 60
        yield Case(spoilt, pointer("edges", number, "in"), "numbered 0 to", "not 60")
        spoilt, part = at(graph, "edges")
        part.append(edge)
        yield Case(spoilt, pointer("edges", len(graph["edges"]), "in"), "more than one edge")


def downstream(graph, name):
    found = [name]
    for node in found:
        found += [edge["to"] for edge in graph["edges"] if edge["from"] == node and edge["to"] not in found]
    return found


def cycles(graph):
    """Each edge, coming from what it leads to."""
    for number, edge in enumerate(graph["edges"]):
        behind = downstream(graph, edge["to"])
        spoilt, part = at(graph, "edges", number)
        part["from"], part["out"] = behind[-1], 0
        on_cycle = [pointer("edges", n) for n, other in enumerate(spoilt["edges"])
                    if other["from"] in behind and other["to"] in behind]
        yield Case(spoilt, on_cycle, "cycle", f'"{edge["to"]}"')


def settings(graph):
    for name, node in graph["nodes"].items():
        definition = schema["$defs"][node["type"]]
        place = ["nodes", name, "params"]
        for key in node["params"]:
            wrong = misspell(key, definition["properties"])
            spoilt, part = at(graph, "nodes", name)
            part["params"] = rename(part["params"], key, wrong)
            yield Case(spoilt, pointer(*place, wrong), f'no setting "{wrong}"', f'"{key}"', "did you mean ")
            yield from values(graph, place, key, definition["properties"][key])
            spoilt, part = at(graph, *place)
            part[key.replace("_", "-") if "_" in key else key + "-"] = part[key]
            other = key.replace("_", "-") if "_" in key else key + "-"
            yield Case(spoilt, pointer(*place, other), "already given by" if "_" in key else suggestion(key))
        for key in definition["required"]:
            spoilt, part = at(graph, *place)
            part.pop(key, None)
            yield Case(spoilt, pointer(*place, key), "must be given")
        spoilt, part = at(graph, *place)
        part["qqq/~"] = 1
        yield Case(spoilt, pointer(*place, "qqq/~"), "no setting")


def values(graph, place, key, property):
    """Wrong types, values out of range, and words that are nearly right."""
    def spoil(value):
        spoilt, part = at(graph, *place)
        part[key] = value
        return spoilt

    types = property.get("type", [])
    if types == []:
        return  # takes any JSON
    yield Case(spoil({"x": 1}), pointer(*place, key), "expected")
    if "null" not in types:
        yield Case(spoil(None), pointer(*place, key), "null is not allowed")
    if "enum" in property:
        nick = graph[place[0]][place[1]][place[2]][key]
        wrong = nick + "_"
        yield Case(spoil(wrong), pointer(*place, key), suggestion(nick))
    elif "array" in types:
        yield Case(spoil([1, "x"]), pointer(*place, key, 1), "expected an array")
        limits = property["items"]
        if "minimum" in limits and limits["minimum"] > -2 ** 63:
            yield Case(spoil([limits["minimum"] - 1]), pointer(*place, key), "expected an array")
    elif "string" not in types:
        yield Case(spoil("x"), pointer(*place, key), "expected")
        if property.get("minimum", -2 ** 63) > -2 ** 63:
            yield Case(spoil(property["minimum"] - 1), pointer(*place, key), "is not allowed; expected")
        if property.get("maximum", 2 ** 63 - 1) < 2 ** 63 - 1:
            yield Case(spoil(property["maximum"] + 1), pointer(*place, key), "is not allowed; expected")


# ---- what cannot be made like that ----

def node(kind, **params):
    return {"type": kind, "params": params}


def chain(**nodes):
    """A graph of nodes one after the other."""
    names = list(nodes)
    return {"nodes": nodes, "edges": [{"from": a, "out": 0, "to": b, "in": 0} for a, b in zip(names, names[1:])]}


SOURCE = node("Sequence", shape=[4, 4], dtype="F32", count=1)


def others():
    yield Case(chain(src=SOURCE, fft=node("FFT2")), "/nodes/fft", 'node "fft" (FFT2)', "F32[4,4]")
    yield Case(chain(src=SOURCE, **{"a/b": node("FFT2")}), "/nodes/a~1b", 'node "a/b" (FFT2)')
    yield Case(chain(src=SOURCE, add=node("Add")), "/nodes/add", "input 1", "not connected")
    yield Case(chain(root=node("Sqrt")), "/nodes/root", "not connected")
    yield Case(chain(src=SOURCE, wide=node("Reshape", shape=[3])), "/nodes/wide")
    yield Case(chain(src=node("Sequence", shape=[2 ** 62, 8], count=1)), "/nodes/src")
    yield Case(chain(src=SOURCE, up=node("Memcpy", target="Device")), "/nodes/up", "device")
    yield Case(chain(open=node("Input"), out=node("Output")), "/nodes/open")
    yield Case(chain(file=node("NpyReader", path="/nonexistent/x.npy")), "/nodes/file", "/nonexistent/x.npy")
    yield Case(chain(src=SOURCE, limit=node("RateLimiter", max_fps="3")), "/nodes/limit/params/max_fps", '"3"')
    huge = node("Sequence", shape=[2 ** 30, 2 ** 20], dtype="F32", count=1)
    yield Case(chain(src=huge, root=node("Sqrt")), "/nodes/src", "output 0", f"could not allocate {2 ** 52} bytes")
    bypass = chain(src=SOURCE, queue=node("Queue"), add=node("Add"))
    bypass["edges"].append({"from": "src", "out": 0, "to": "add", "in": 1})
    yield Case(bypass, "/edges/2", "put a Queue on edge")
    yield Case({"nodes": {"": SOURCE}}, "/nodes/", "must not be empty")
    yield Case([], "/", "expected an object")


def documented():
    """Those that docs/graph-format.md shows."""
    yield {"nodes": {"root": {"params": {}}}}
    yield chain(source=SOURCE, root=node("Sqrrt"))
    yield chain(source=node("Sequence", shape=[4, 4], dtype="CF32"), root=node("Sqrt"))
    yield chain(source=SOURCE, queue=node("Queue", capacity=0))
    yield chain(source=SOURCE, queue=node("Queue", capcity=2))
    yield {**chain(source=SOURCE, root=node("Sqrt")), "edges": [{"from": "source", "out": 0, "to": "rot", "in": 0}]}
    yield {**chain(source=SOURCE, root=node("Sqrt")), "edges": [{"from": "source", "out": 3, "to": "root", "in": 0}]}


# ---- the right graphs ----

def right_graphs():
    nodes = {
        "source": node("Sequence", shape=[4, 8, 8], dtype="CF32", count=3, start=1.5, step=0.5, rate=100.0),
        "batch": node("BatchQueue", target_capacity=8, output_size=4, output_stride=2),
        "mask": node("FourierMask", center_y=1, center_x=1, r_inner=0, s_inner=0, r_outer=3, s_outer=1),
        "inverse": node("IFFT2"),
        "double": node("Add"),
        "square": node("Multiply"),
        "modulus": node("Abs"),
        "root": node("Sqrt"),
        "limiter": node("RateLimiter", max_fps=30.0),
        "flat": node("Reshape", shape=[-1]),
        "host": node("Memcpy", target="Host"),
        "writer": node("NpyWriter", path="x.npy"),
    }
    graph = chain(**nodes)
    graph["edges"] += [{"from": "inverse", "out": 0, "to": "double", "in": 1},
                       {"from": "double", "out": 0, "to": "square", "in": 1}]
    del nodes["batch"]
    yield "many kinds", chain(**nodes) | {"edges": chain(**nodes)["edges"] + graph["edges"][-2:]}
    yield "a batch", chain(source=node("Sequence", shape=[8, 8], dtype="F32", count=3),
                           batch=node("BatchQueue", target_capacity=8, output_size=4, output_stride=2),
                           shift=node("FFTShift", axes=[-2, -1]), output=node("Output"))
    for path in sorted(pathlib.Path(source_root, "docs", "examples").glob("*.json")):
        graph = json.loads(path.read_text())
        for value in graph["nodes"].values():
            if value["type"] == "Input":
                value["params"] = {"dtype": "U8", "shape": [16, 16]}
        yield path.name, graph


def ask(graphs):
    text = "".join(json.dumps(graph) + "\n" for graph in graphs)
    answers = subprocess.run([reader, "compile"], input=text, check=True, capture_output=True, text=True).stdout
    return answers.splitlines()


number = failed = 0


def report(name, cases):
    global number, failed
    number += 1
    answers = ask([case.graph for case in cases])
    wrong = [(case, answer) for case, answer in zip(cases, answers) if not case.check(answer)]
    for case, answer in wrong:
        print(f"# expected {case.places} {case.parts}\n#   got {answer}")
    ok = len(cases) > 0 and len(answers) == len(cases) and not wrong
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}: {len(cases)} errors")


def report_documented():
    global number, failed
    number += 1
    page = pathlib.Path(source_root, "docs", "graph-format.md").read_text()
    shown = re.findall(r"^graph.json: (/.*)$", page, re.MULTILINE)
    answers = ask(documented())
    failed += answers != shown
    print("".join(f"# the page: {line}\n" for line in shown if line not in answers), end="")
    print("".join(f"# it is:    {line}\n" for line in answers if line not in shown), end="")
    print(f"{'ok' if answers == shown else 'not ok'} {number} - the messages that the documentation shows")


graphs = list(right_graphs())
parts = [keys, kinds, references, slots, cycles, settings]
print(f"1..{1 + len(graphs) * len(parts) + 2}")
number += 1
answers = ask([graph for _, graph in graphs])
right = all(answer.startswith("ok") for answer in answers)
failed += not right
print(f"# {answers}\n{'ok' if right else 'not ok'} {number} - the graphs are right before they are spoilt")
for name, graph in graphs:
    for part in parts:
        report(f"{name}, {part.__name__}", list(part(graph)))
report("other causes", list(others()))
report_documented()
sys.exit(1 if failed else 0)
