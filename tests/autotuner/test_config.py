"""`weft.Config`."""

from __future__ import annotations

import pytest

import weft
from weft.errors import LaunchError


def test_kwargs_equality_and_repr():
    config = weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)
    assert config.all_kwargs() == {"BLOCK": 8, "num_stages": 3, "num_ctas": 1, "maxnreg": 64}
    assert config == weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)
    assert config != weft.Config({"BLOCK": 8}, maxnreg=64)
    assert len({config, weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)}) == 1
    assert repr(config) == "Config(BLOCK=8, num_ctas=1, num_stages=3, maxnreg=64)"


def test_ir_override_is_not_supported():
    with pytest.raises(LaunchError, match="ir_override of a Config is not supported"):
        weft.Config({}, ir_override="kernel.ttgir")  # pyright: ignore
