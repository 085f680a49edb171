"""Profiles from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from weft.compat.profiler import proton, sessions, viewer
from weft.compat.profiler.flags import flags
from weft.errors import LaunchError

SCRIPT = """
import sys
import numpy as np
import weft
import weft.language as tl
from weft.compat import profiler

@weft.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)

session = profiler.start("another")
with profiler.scope("inner"):
    fill[(1,)](np.zeros(8, np.float32), int(sys.argv[1]), BLOCK=8)
profiler.finalize(session)
fill[(1,)](np.zeros(8, np.float32), 5, BLOCK=8)
sys.exit(3)
"""


@pytest.fixture(autouse=True)
def script(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    return file


def run(monkeypatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["proton", *arguments])
    with pytest.raises(SystemExit) as end:
        proton.main()
    assert not flags.command_line
    assert not flags.profiling_on
    assert not sessions.active_sessions()
    return end.value.code


def test_a_script(script, monkeypatch, capsys):
    assert run(monkeypatch, "-n", "whole", str(script), "7") == 3
    assert not Path("another.hatchet").exists()
    (root, _) = json.loads(Path("whole.hatchet").read_text())
    assert {each["frame"]["name"] for each in root["children"]} == {"inner", "fill"}
    viewer.main(["-m", "count", "whole.hatchet"])
    assert "2.000 ROOT" in capsys.readouterr().out
    viewer.main(["-l", "whole.hatchet"])
    assert "- count\n" in capsys.readouterr().out


def test_a_script_that_raises_has_a_profile(script, monkeypatch, capsys):
    script.write_text("raise ValueError('bad')")
    assert run(monkeypatch, str(script)) == 1
    assert "ValueError: bad" in capsys.readouterr().err
    assert Path("proton.hatchet").exists()


def test_pytest(script, monkeypatch):
    test = script.with_name("test_nothing.py")
    test.write_text("def test_it(): pass\n")
    assert run(monkeypatch, "pytest", "-q", "-p", "no:cacheprovider", str(test)) == 0


def test_options(script, monkeypatch, capsys):
    assert run(monkeypatch) == 2
    assert "name a script" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["proton", "-b", "cupti", str(script)])
    with pytest.raises(LaunchError, match="unknown backend"):
        proton.main()
