"""The pictures of the guide are those that its script draws today."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs/guides/linear-layouts.md"
PICTURES = GUIDE.parent / "pictures"


def drawn() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("draw", PICTURES / "draw.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.pictures())


@pytest.mark.parametrize(("name", "text"), drawn().items(), ids=lambda value: value[:20])
def test_committed_pictures(name, text):
    assert (PICTURES / name).read_text() == text
    assert len(text) < 64_000


def test_every_picture_is_shown():
    shown = re.findall(r"\]\(pictures/([\w.]+)\)", GUIDE.read_text())
    assert sorted(shown) == sorted(drawn()) == sorted(p.name for p in PICTURES.glob("*.svg"))
