"""How wide an access can be, and why it is not wider."""

from __future__ import annotations

import pytest

from weft.analysis.axis_info import axis_info
from weft.analysis.coalescing import (
    PointerAccess,
    coalesced_layout,
    connected_accesses,
    is_pointer_access,
)
from weft.errors import PassError
from weft.ir import tt
from weft.ir.text import parse_module

HEAD = (
    "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
    "order = [0]}>\n"
    'module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {'
)


def accesses(body: str, arguments: str, size: int = 1024) -> tuple[tt.FuncOp, list[PointerAccess]]:
    tensor = f"tensor<{size}xi32, #blocked>"
    text = f"""{HEAD}
tt.func public @k({arguments}) {{
  %r = tt.make_range {{end = {size} : i32, start = 0 : i32}} : {tensor}
  {body.replace("SIZE", str(size))}
  tt.return
}}
}}"""
    module = parse_module(text)
    info = axis_info(module)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    return function, [PointerAccess.of(op, info) for op in function.walk() if is_pointer_access(op)]


def load(pointer: str, element: str, name: str = "x") -> str:
    pointers = f"tensor<SIZEx!tt.ptr<{element}>, #blocked>"
    return (
        f"%{name}s = tt.splat {pointer} : !tt.ptr<{element}> -> {pointers}\n"
        f"%{name}p = tt.addptr %{name}s, %r : {pointers}, tensor<SIZExi32, #blocked>\n"
        f"%{name} = tt.load %{name}p : {pointers}\n"
    )


@pytest.mark.parametrize(
    ("element", "divides", "elements", "why"),
    [
        ("f32", 16, 4, "4 elements of 32 bits are the widest access"),
        ("i8", 16, 8, "the tensor has 8 elements per thread"),
        ("f16", 4, 2, "addresses are aligned to 4 bytes"),
        ("f64", 1, 1, "addresses are aligned to 1 byte"),
    ],
)
def test_elements_of_a_thread(element, divides, elements, why):
    hint = f"{{tt.divisibility = {divides} : i32}}"
    function, results = accesses(load("%p", element), f"%p: !tt.ptr<{element}> {hint}")
    (others,) = connected_accesses(function, results)
    result = coalesced_layout(results[0], others, 4, 32)
    assert result.elements == elements
    assert result.encoding.size_per_thread == (elements,)
    assert results[0].width_reason(result) == why


def test_loads_of_one_slice_use_the_widest_access():
    hint = "{tt.divisibility = 16 : i32}"
    function, results = accesses(
        load("%p", "f32", "x") + load("%q", "f16", "y"),
        f"%p: !tt.ptr<f32> {hint}, %q: !tt.ptr<f16> {hint}",
    )
    wide = [
        coalesced_layout(one, others, 4, 32)
        for one, others in zip(results, connected_accesses(function, results), strict=True)
    ]
    assert [one.elements for one in wide] == [8, 8]
    reason = "8 elements per thread, as the widest access of the slice takes"
    assert results[0].width_reason(wide[0]) == reason


def test_contiguity_limits_the_width():
    body = (
        "%c = arith.constant dense<4> : tensor<SIZExi32, #blocked>\n"
        "%m = arith.remsi %r, %c : tensor<SIZExi32, #blocked>\n"
        + load("%p", "i8").replace("%r :", "%m :")
    )
    _, (access,) = accesses(body, "%p: !tt.ptr<i8> {tt.divisibility = 16 : i32}")
    assert (access.run_length, access.max_elements(access)) == (4, 4)
    layout = coalesced_layout(access, [access], 4, 32)
    assert access.width_reason(layout) == "addresses are contiguous for 4 elements"


def test_pointers_without_layout_are_an_error():
    text = """
tt.func public @k(%p: tensor<64x!tt.ptr<f32>>) {
  %x = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.return
}"""
    module = parse_module(text)
    (op,) = [op for op in module.walk() if is_pointer_access(op)]
    with pytest.raises(PassError, match="missing layout of a memory access"):
        PointerAccess.of(op, axis_info(module))


def test_scalar_accesses_are_none():
    text = "tt.func public @k(%p: !tt.ptr<f32>) {\n%x = tt.load %p : !tt.ptr<f32>\ntt.return\n}"
    assert not any(is_pointer_access(op) for op in parse_module(text).walk())
