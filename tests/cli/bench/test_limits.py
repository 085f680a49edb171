"""The board whose limits `weft bench` holds times against."""

from __future__ import annotations

from tests.launch.fake_cuda import FakeCuda
from weft.cli.bench.limits import limits_of


def test_limits_are_those_of_the_board_that_the_driver_names(monkeypatch):
    gpu = FakeCuda(monkeypatch)
    here = limits_of(None, 0)
    assert here.board is not None
    assert (here.board.name, here.is_measured) == ("H200 SXM", True)
    assert limits_of("cuda:90", 0) == here, "of the boards with the chip, the one that is here"
    assert limits_of("H100 PCIe", 0).is_measured is False
    assert limits_of(None, None).board is None
    gpu.name = "NVIDIA Prototype"
    board = limits_of(None, 0).board
    assert board is not None
    assert (board.name, board.memory_gb_per_s, board.tera("f16")) == (
        "NVIDIA Prototype",
        1024,
        None,
    )
    gpu.memory_clock = 0
    assert limits_of(None, 0).board is None
