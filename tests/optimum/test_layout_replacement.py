"""A layout is replaced with what derives from it, or not at all."""

from __future__ import annotations

from dataclasses import replace

from tests.optimum.programs import module_of_text
from tests.optimum.test_assignment import MASKED_COPY, POINTERS
from weft.ir import tt
from weft.ir.text import print_module
from weft.ir.verifier import verify
from weft.layouts import BlockedEncoding, parse
from weft.optimum.costs import OperationCosts
from weft.optimum.layout_replacement import replace_layout
from weft.targets import target

LINE = parse(
    "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
)
assert isinstance(LINE, BlockedEncoding)
NARROW = replace(LINE, size_per_thread=(1,))


def test_a_layout_is_replaced_everywhere_and_back():
    module = module_of_text(f"{POINTERS}, %n: i32", MASKED_COPY)
    costs = OperationCosts.of(module, target("cuda:80"))
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    before = print_module(module)
    undo = replace_layout(function, LINE, NARROW, costs)
    assert undo is not None
    verify(module)
    assert "sizePerThread = [4]" not in print_module(module)
    undo()
    assert print_module(module) == before


def test_an_operation_that_relates_layouts_otherwise_keeps_them():
    square = (
        "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], "
        "order = [1, 0]}>"
    )
    reshape = f"tt.reshape %v : tensor<1024xf32, #line> -> tensor<512x2xf32, {square}>"
    body = f"{MASKED_COPY}    %w = {reshape}\n"
    module = module_of_text(f"{POINTERS}, %n: i32", body)
    costs = OperationCosts.of(module, target("cuda:80"))
    (function,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp))
    before = print_module(module)
    assert replace_layout(function, LINE, NARROW, costs) is None
    assert print_module(module) == before
