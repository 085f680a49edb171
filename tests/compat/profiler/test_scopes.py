"""Scopes and states of the profiler."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.compat import profiler
from weft.compat.as_triton import as_triton
from weft.errors import LaunchError


@weft.jit
def store(x):
    weft.language.store(x, 1.0)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def recorded_names(node: dict, path: str = "") -> list[str]:
    """List the paths of the nodes below one."""
    names: list[str] = []
    for each in node["children"]:
        name = f"{path}{each['frame']['name']}"
        names += [name, *recorded_names(each, f"{name}/")]
    return names


def test_scopes_and_states_nest_and_decorate():
    session = profiler.start("nested")
    x = np.zeros(1, np.float32)

    @profiler.scope("decorated", {"rows": 1})
    def launch() -> int:
        store[(1,)](x)
        return 3

    assert launch() == launch() == 3
    with profiler.state("loads"), profiler.cpu_timed_scope("timed", {"rows": 2}):
        store[(1,)](x)
    profiler.enter_state("entered")
    store[(1,)](x)
    profiler.exit_state()
    with profiler.metadata_state():
        pass
    profiler.finalize(session)
    root = json.loads(Path("nested.hatchet").read_text())[0]
    assert recorded_names(root) == [
        "decorated", "decorated/store", "loads", "loads/timed", "loads/timed/store", "entered",
        "entered/store", "__proton_launch_metadata",
    ]  # fmt: skip
    metrics = root["children"][1]["children"][0]["metrics"]
    assert metrics["rows"] == 2
    assert metrics["cpu_time (ns)(exc)"] > 0
    assert root["children"][0]["metrics"] == {"rows": 2}


def test_the_name_of_the_time_is_reserved():
    with pytest.raises(LaunchError, match="'cpu_time' is reserved"):
        profiler.cpu_timed_scope("timed", {"cpu_time": 1})


@as_triton()
def test_modules_of_the_same_name_do_not_replace_functions():
    proton = importlib.import_module("triton.profiler")
    for name in ("profile", "scope", "state"):
        before = getattr(proton, name)
        module = importlib.import_module(f"triton.profiler.{name}")
        assert getattr(module, name) is before is getattr(proton, name)
