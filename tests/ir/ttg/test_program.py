"""The memories of `ttg.barrier`."""

from __future__ import annotations

import pytest

from tests.ir.gpu import module
from weft.ir import ttg
from weft.ir.rewriting import walk
from weft.ir.text import parse_module, print_module

MASK = """
    %p = arith.constant true
    "ttg.mask"(%p) ({
      ttg.mask.return :
    }) : (i1) -> ()
"""


def test_mask_without_results_is_printed_as_triton_parses_it() -> None:
    # Triton prints `ttg.mask.return :`, the custom form without operands, but cannot parse it.
    assert '      "ttg.mask.return"() : () -> ()\n' in print_module(parse_module(module(MASK, "")))


@pytest.mark.parametrize(
    ("memory", "bits"), [("none", 0), ("local", 1), ("local|tensor_read", 9), ("all", 31)]
)
def test_barrier_memory(memory: str, bits: int) -> None:
    parsed = parse_module(module(f"ttg.barrier {memory}", ""))
    (op,) = [op for op in walk(parsed) if isinstance(op, ttg.BarrierOp)]
    assert op.addrSpace.value.data == bits
    assert f"ttg.barrier {memory}\n" in print_module(parsed)
