"""`weft.Config`."""

from __future__ import annotations

import weft


def test_kwargs_equality_and_repr():
    config = weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)
    assert config.all_kwargs() == {"BLOCK": 8, "num_stages": 3, "num_ctas": 1, "maxnreg": 64}
    assert config == weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)
    assert config != weft.Config({"BLOCK": 8}, maxnreg=64)
    assert len({config, weft.Config({"BLOCK": 8}, num_warps=None, maxnreg=64)}) == 1
    assert repr(config) == "Config(BLOCK=8, num_ctas=1, num_stages=3, maxnreg=64)"


def test_a_file_in_place_of_a_stage_is_an_option():
    assert weft.Config({}, ir_override="kernel.ttgir").all_kwargs()["ir_override"] == "kernel.ttgir"
    assert "ir_override" not in weft.Config({}).all_kwargs()
