"""tcgen05.mma: operand types that a kind of MMA does not have."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError

LINE = "@$0 tcgen05.mma.cta_group::1.kind::f16 [$1], $2, $3, $4, $5;"


def test_an_unsupported_operand_type():
    descriptor = 3 << 7  # A has type 3
    body = f"""
  %first = icmp eq i32 %i, 0
  call void asm sideeffect "{LINE}", "b,r,l,l,r,b"(i1 %first, i32 0, i64 0, i64 0, i32 {descriptor}, i1 false)
  ret void"""  # noqa: E501
    with pytest.raises(CodegenError, match=r"operand type of tcgen05\.mma\.kind::f16"):
        run_text(body, [])
