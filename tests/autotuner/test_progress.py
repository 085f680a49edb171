"""The progress bar and the table of autotune."""

from __future__ import annotations

import io

import rich.console

import weft
from weft.autotuner import progress
from weft.autotuner.progress import print_trials, with_progress_bar
from weft.autotuner.trials import Trial

CONFIGS = [weft.Config({"BLOCK": block}) for block in (32, 64, 128)]


def test_a_progress_bar_appears_after_a_second(monkeypatch):
    stream = io.StringIO()
    console = rich.console.Console
    monkeypatch.setattr(progress, "_SHOW_AFTER_S", -1.0)
    monkeypatch.setattr(
        rich.console,
        "Console",
        lambda **options: console(file=stream, force_terminal=True, width=100),
    )
    assert list(with_progress_bar("fill", CONFIGS)) == CONFIGS
    assert "tuning fill" in stream.getvalue()
    stream.truncate(0)
    monkeypatch.setattr(progress, "_SHOW_AFTER_S", 60.0)
    assert list(with_progress_bar("fill", CONFIGS)) == CONFIGS
    assert "tuning" not in stream.getvalue()


def test_table_of_trials(capsys):
    trials = [
        Trial(CONFIGS[0], (2.0, 1.5, 3.0)),
        Trial(CONFIGS[1], (1.0, 1.0, 1.0)),
        Trial(CONFIGS[2], reason="too large"),
    ]
    print_trials("fill for 8", trials, CONFIGS[1])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == "fill for 8"
    assert lines[2].split() == ["64", "4", "1", "3", "1", "1", "…", "1", "1.00", "←", "best"]
    assert lines[3].split()[-1] == "2.00"
    assert lines[4].endswith("too large")
