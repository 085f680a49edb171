"""The profiler: times by scope and kernel, and the printed tree."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import weft
import weft.language as tl
from weft import knobs
from weft.compat import profiler
from weft.compat.profiler import viewer
from weft.errors import LaunchError


def launch_metadata(grid, metadata, args):
    return {"name": f"{metadata.name} n={args['n']}", "flops16": 1000.0, "bytes": 8}


@weft.jit(launch_metadata=launch_metadata)
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


def launch(times: int = 1) -> None:
    for _ in range(times):
        fill[(1,)](np.zeros(8, np.float32), 5, BLOCK=8)


def children(node: dict) -> dict[str, dict]:
    return {each["frame"]["name"]: each for each in node["children"]}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert not knobs.runtime.launch_enter_hook.calls, "finalize removes the hooks"


def test_kernels_count_in_their_scope():
    session = profiler.start("session", hook="triton")
    launch()
    with profiler.scope("part", {"rows": 2}):
        launch(3)
    with profiler.scope("other"):
        time.sleep(0.002)
    profiler.finalize(session)
    root = json.loads(Path("session.hatchet").read_text())[0]
    scopes = children(root)
    assert list(scopes) == ["fill n=5", "part", "other"]
    assert scopes["fill n=5"]["metrics"]["count"] == 1
    inner = children(scopes["part"])["fill n=5"]["metrics"]
    assert (inner["count"], inner["flops16"], inner["bytes"]) == (3, 3000, 24)
    assert scopes["part"]["metrics"] == {"rows": 2}, "its time is the sum of its kernels"
    assert scopes["other"]["metrics"]["time (ns)"] >= 2e6


def test_inactive_sessions_record_nothing():
    profiler.start("quiet")
    profiler.deactivate()
    launch()
    profiler.activate()
    launch(2)
    profiler.finalize()
    (kernel,) = json.loads(Path("quiet.hatchet").read_text())[0]["children"]
    assert kernel["frame"]["name"] == "fill", 'without hook="triton" launch_metadata is not called'
    assert set(kernel["metrics"]) == {"time (ns)", "count"}
    assert kernel["metrics"]["count"] == 2


def test_profiled_function():
    @profiler.profile(name="whole")
    def work(n: int) -> int:
        launch(n)
        return n

    assert work(2) == 2
    assert json.loads(Path("whole.hatchet").read_text())[0]["children"][0]["metrics"]["count"] == 2


def test_wrong_arguments_are_an_error():
    with pytest.raises(LaunchError, match="unknown backend of the profiler"):
        profiler.start(backend="instrumentation")
    with pytest.raises(LaunchError, match="unknown session"):
        profiler.activate(1 << 40)
    with pytest.raises(LaunchError, match="cannot leave scope never"):
        profiler.exit_scope("never")
    session = profiler.start()
    with pytest.raises(LaunchError, match="unknown output format"):
        profiler.finalize(session, "chrome_trace")
    profiler.finalize(session)


def node(name: str, children: list = [], **metrics: float) -> dict:  # noqa: B006
    renamed = {key.replace("time", "time (ns)"): value for key, value in metrics.items()}
    return {"frame": {"name": name}, "metrics": renamed, "children": children}


@pytest.fixture
def profile_file(tmp_path):
    kernels = [
        node("a", time=2e6, count=2, flops16=4e9, bytes=1e6),
        node("b", time=1e6, count=1),
    ]
    path = tmp_path / "made.hatchet"
    path.write_text(json.dumps([node("ROOT", [node("s", kernels, flops16=9e9)]), {}]))
    return path


def test_printed_tree(profile_file, capsys):
    names = ["time/ms", "avg_time/us", "tflop16/s", "gbyte/s", "count"]
    tree, metrics = viewer.parse(names, profile_file)
    assert metrics == names
    (scope,) = tree["children"]
    assert scope["values"] == {
        "time/ms": 3.0,
        "avg_time/us": 1000.0,
        "tflop16/s": 3.0,
        "gbyte/s": pytest.approx(1 / 3),
        "count": 3,
    }
    assert scope["children"][0]["values"]["tflop16/s"] == 2.0
    assert scope["children"][1]["values"]["tflop16/s"] is None
    viewer.print_tree(tree, metrics)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "time/ms, avg_time/us, tflop16/s, gbyte/s, count"
    assert lines[3].endswith("   ├─ a")
    assert lines[4].endswith("   └─ b")
    assert lines[4].count("- ") == 2


def test_unknown_metric_and_missing_file(profile_file, tmp_path):
    with pytest.raises(LaunchError, match="the profile has no metric util"):
        viewer.parse(["util"], profile_file)
    with pytest.raises(LaunchError, match="cannot read the profile"):
        viewer.parse(["time/ms"], tmp_path / "none.hatchet")
