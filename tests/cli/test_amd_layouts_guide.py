"""Every command of the guide about AMD layouts prints the lines that the guide shows."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs/guides/amd_layouts.md"


def commands() -> list[tuple[str, tuple[str, ...]]]:
    """List the guide's commands, each with the lines below it."""
    blocks: list[tuple[str, list[str]]] = []
    for line in GUIDE.read_text().splitlines():
        text = line.removeprefix("    ")
        if line.startswith("    $ weft "):
            blocks.append((text.removeprefix("$ weft "), []))
        elif line.startswith("    ") and text != "…":
            blocks[-1][1].append(text)
    return [(command, tuple(lines)) for command, lines in blocks]


@pytest.mark.parametrize(("command", "lines"), commands(), ids=lambda each: str(each)[-60:])
def test_command(command: str, lines: tuple[str, ...], weft_command, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = weft_command(*shlex.split(command))
    assert result.exit_code == 0, result.stderr
    at = 0
    for line in lines:
        at = result.stdout.find(line, at)
        assert at >= 0, line
