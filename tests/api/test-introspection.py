# SPDX-FileCopyrightText: 2026 The Holoflow for GStreamer authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library from another language, through its typelib: a graph made, compiled, fed, read, counted and changed."""

import array
import sys

try:
    import gi
    gi.require_version("Holoflow", "1.0")
    from gi.repository import Gio, GLib, Holoflow
except (ImportError, ValueError) as error:
    print(f"1..0 # SKIP {error}")
    sys.exit(0)

GRAPH = """{ "nodes": {
  "in": { "type": "Input", "params": { "dtype": "F32", "shape": [4] } },
  "root": { "type": "Sqrt", "params": {} },
  "out": { "type": "Output", "params": {} } },
  "edges": [ { "from": "in", "out": 0, "to": "root", "in": 0 }, { "from": "root", "out": 0, "to": "out", "in": 0 } ] }"""


def test_version():
    version = Holoflow.version()
    assert version == (Holoflow.MAJOR_VERSION, Holoflow.MINOR_VERSION, Holoflow.MICRO_VERSION), version


def make_frame(values):
    desc = Holoflow.TensorDesc()
    desc.init(Holoflow.DType.F32, Holoflow.MemLoc.HOST, [len(values)])
    frame = Holoflow.Frame()
    assert frame.init_bytes(desc, GLib.Bytes.new(array.array("f", values).tobytes()))
    return frame


def test_boxed():
    frame = make_frame([1.0, 2.0])
    copy = frame.copy()
    frame.clear()
    assert frame.block is None
    assert array.array("f", copy.dup_bytes().get_data()).tolist() == [1.0, 2.0]
    assert copy.desc.to_string() == "F32[2] Host", copy.desc.to_string()
    too_small = Holoflow.TensorDesc()
    too_small.init(Holoflow.DType.F64, Holoflow.MemLoc.HOST, [9])
    try:
        Holoflow.Frame().init_bytes(too_small, GLib.Bytes.new(b"12345678"))
    except GLib.Error as error:
        assert "needs 72 bytes; 8 are there" in error.message, error.message
    else:
        raise AssertionError("a tensor reaches beyond its bytes")


def test_graph():
    graph = Holoflow.Graph.new_from_text(GRAPH, -1)
    compiler = Holoflow.Compiler.new(None)
    plan = compiler.compile(graph, None)
    assert plan.get_n_nodes() == 3
    scheduler = Holoflow.Scheduler.new(plan)
    source, sink = scheduler.get_input("in"), scheduler.get_output("out")
    ended = []
    scheduler.set_ended_func(lambda scheduler, error: ended.append(error))
    assert scheduler.start()
    for number in range(3):
        assert source.push(make_frame([1.0, 4.0, 9.0, 16.0 + number]), None) == Holoflow.OpResult.OK
        result, frame = sink.pull(None)
        assert result == Holoflow.OpResult.OK, result
        assert frame.stamp.seq == number
        assert array.array("f", frame.dup_bytes().get_data()).tolist()[:3] == [1.0, 2.0, 3.0]
    assert source.push_end() == Holoflow.OpResult.OK
    result, frame = sink.pull(None)
    assert result == Holoflow.OpResult.EOF, result
    assert scheduler.wait()
    assert ended == [None], ended

    statistics = scheduler.get_statistics().unpack()
    assert statistics["root"]["calls"] == 3, statistics
    found, numbers = scheduler.get_node_statistics("root")
    assert found and numbers.execute.calls == 3 and numbers.execute.bytes > 0
    assert not scheduler.get_node_statistics("nobody")[0]


def test_errors():
    try:
        Holoflow.Graph.new_from_text("{", -1)
    except GLib.Error as error:
        assert error.matches(Holoflow.error_quark(), Holoflow.Error.JSON), error
    else:
        raise AssertionError("broken JSON was read")


tests = [test_version, test_boxed, test_graph, test_errors]
print(f"1..{len(tests)}")
failed = 0
for number, test in enumerate(tests, 1):
    try:
        test()
        print(f"ok {number} - {test.__name__}", flush=True)
    except Exception as error:
        failed = 1
        print(f"# {type(error).__name__}: {error}\nnot ok {number} - {test.__name__}", flush=True)
sys.exit(failed)
