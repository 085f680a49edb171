"""The public API: small, complete, and versioned as the package is."""

from __future__ import annotations

from pathlib import Path

import weft

ROOT = Path(__file__).parents[1]


def test_public_api_is_small():
    assert len(weft.__all__) <= 20
    assert len(set(weft.__all__)) == len(weft.__all__)


def test_every_public_name_exists():
    for name in weft.__all__:
        assert getattr(weft, name) is not None


def test_version_is_that_of_the_package():
    assert f'version = "{weft.__version__}"' in (ROOT / "pyproject.toml").read_text()
