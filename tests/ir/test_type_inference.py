"""Types of results that an operation infers."""

from __future__ import annotations

from typing import NoReturn

import pytest
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir.type_inference import are_equivalent, infer_layout, inference_failure
from weft.layouts import parse

BLOCKED = parse(
    "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
)
LINEAR = parse(
    "#ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], "
    "block = []}>"
)


def test_encodings_that_distribute_alike_are_equivalent() -> None:
    assert are_equivalent((128,), BLOCKED, LINEAR)
    assert not are_equivalent((128,), BLOCKED, None)
    assert not are_equivalent((128, 2), BLOCKED, LINEAR)


def test_a_failed_inference_has_its_reason_as_cause() -> None:
    failure = inference_failure("no such layout")
    assert str(failure) == "failed to infer returned types: no such layout"
    assert str(failure.__cause__) == "no such layout"


def test_an_encoding_that_gluon_resolves_is_kept() -> None:
    auto = parse("#gluon.auto_encoding")

    def fail() -> NoReturn:
        raise LayoutError("none")

    assert infer_layout(auto, fail) is auto
    with pytest.raises(VerifyException, match="none"):
        infer_layout(BLOCKED, fail)
