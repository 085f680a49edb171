"""The width of accesses to global memory, its limits, and the sectors."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.explain.modules import module_of, named, required
from weft.analysis.access_width import Addresses, compute_width, count_sectors, find_addresses
from weft.analysis.axis_info import axis_info
from weft.analysis.coalescing import WIDEST_BITS
from weft.ir import types
from weft.layouts import Encoding, parse


def pointers(element: str, *, divisor: int = 16, size: int = 1024, mask: str = "") -> ModuleOp:
    """Return a load of contiguous pointers in #line, with an optional mask against %n."""
    tensor = f"tensor<{size}x!tt.ptr<{element}>, #line>"
    lines = [
        f"%i = tt.make_range {{end = {size} : i32, start = 0 : i32}} : tensor<{size}xi32, #line>",
        f"%b = tt.splat %x : !tt.ptr<{element}> -> {tensor}",
        f"%p = tt.addptr %b, %i : {tensor}, tensor<{size}xi32, #line>",
    ]
    if mask:
        lines += [
            f"%s = tt.splat %n : i32 -> tensor<{size}xi32, #line>",
            f"%m = arith.cmpi slt, %i, %s : tensor<{size}xi32, #line>",
        ]
    lines.append(f"%v = tt.load %p{', %m' if mask else ''} : {tensor}")
    arguments = f"%x: !tt.ptr<{element}> {{tt.divisibility = {divisor} : i32}}"
    return module_of("\n".join(lines), f"{arguments}, %n: i32 {mask}")


def addresses_of(module, name: str = "tt.load") -> tuple[Addresses, Encoding]:
    """Find the addresses of an operation, and their layout."""
    addresses = required(find_addresses(named(module, name), axis_info(module)))
    return addresses, required(types.encoding(addresses.pointers.type))


def width_of(module, name: str = "tt.load"):
    return compute_width(*addresses_of(module, name))


@pytest.mark.parametrize(
    ("module", "elements", "limit", "words"),
    [
        (pointers("f32"), 4, "widest", "the widest instruction"),
        (pointers("f64"), 2, "widest", "the widest instruction"),
        (pointers("f16"), 4, "share", "the layout: 4 contiguous per thread"),
        (pointers("i1"), 4, "share", "the layout: 4 contiguous per thread"),
        (
            pointers("f32", divisor=8),
            2,
            "divisibility",
            "divisibility: addresses are known to be multiples of 8 bytes",
        ),
        (
            pointers("i8", divisor=1),
            1,
            "divisibility",
            "divisibility: addresses are known to be multiples of 1 byte",
        ),
        (
            pointers("f32", mask="{tt.divisibility = 2 : i32}"),
            2,
            "mask",
            "the mask: known to be uniform for 2 elements",
        ),
        (
            pointers("f32", mask="{tt.divisibility = 1 : i32}"),
            1,
            "mask",
            "the mask: known to be uniform for 1 element",
        ),
        (pointers("f32", mask="{tt.divisibility = 16 : i32}"), 4, "widest", None),
    ],
)
def test_limits_of_contiguous_pointers(module, elements, limit, words):
    width = width_of(module)
    assert (width.elements, width.limit) == (elements, limit)
    assert words is None or width.limited_by == words


GATHER = """
    %b = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #line>
    %p = tt.addptr %b, %i HINTS: tensor<128x!tt.ptr<f32>, #line>, tensor<128xi32, #line>
    %v = tt.load %p : tensor<128x!tt.ptr<f32>, #line>"""


@pytest.mark.parametrize(
    ("hints", "elements", "limit"),
    [
        ((2, 16), 2, "contiguity"),
        ((2, 4), 1, "divisibility"),
        ((2, 8), 2, "divisibility"),  # of equal limits, the one that a hint improves first
        ((4, 16), 4, "widest"),
    ],
)
def test_contiguity(hints, elements, limit):
    contiguity, divisibility = (f"dense<{hint}> : tensor<1xi32>" for hint in hints)
    attributes = f"{{tt.contiguity = {contiguity}, tt.divisibility = {divisibility}}} "
    arguments = "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %i: tensor<128xi32, #line>"
    width = width_of(module_of(GATHER.replace("HINTS", attributes), arguments))
    assert (width.elements, width.limit) == (elements, limit)
    if limit == "contiguity":
        assert width.limited_by == "contiguity: 2 elements known to be contiguous"


TILE = """
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #column}>>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #column}>>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #column}>> -> tensor<64x1xi32, #column>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #column}>> -> tensor<1x64xi32, #column>
    %s = tt.splat %n : i32 -> tensor<64x1xi32, #column>
    %r = arith.muli %i2, %s : tensor<64x1xi32, #column>
    %rb = tt.broadcast %r : tensor<64x1xi32, #column> -> tensor<64x64xi32, #column>
    %jb = tt.broadcast %j2 : tensor<1x64xi32, #column> -> tensor<64x64xi32, #column>
    %o = arith.addi %rb, %jb : tensor<64x64xi32, #column>
    %b = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #column>
    %p = tt.addptr %b, %o : tensor<64x64x!tt.ptr<f32>, #column>, tensor<64x64xi32, #column>
    %v = tt.load %p : tensor<64x64x!tt.ptr<f32>, #column>"""  # noqa: E501


def tile():
    return module_of(TILE, "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32")


def test_order():
    width = width_of(tile())
    assert (width.elements, width.limit) == (1, "order")
    assert width.limited_by == (
        "the order: a thread's elements are contiguous along dimension 0, memory along dimension 1"
    )


def test_sectors_of_a_tile():
    module = tile()
    addresses, encoding = addresses_of(module)
    assert (addresses.contiguous_dim, addresses.shape, addresses.bits) == (1, (64, 64), 32)
    # #column: a lane reads single elements of rows that are far apart; 2 lanes share no sector.
    report = count_sectors(addresses, encoding, 1)
    assert (report.requests, report.ideal_sectors) == (128, 512)
    assert report.sectors == 2048
    row = parse(
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], "
        "order = [1, 0]}>"
    )
    report = count_sectors(addresses, row, 4)
    assert (report.requests, report.sectors, report.ideal_sectors) == (32, 512, 512)


def test_equal_addresses_have_stride_zero():
    body = """
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #line>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #line>"""
    module = module_of(body, "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}")
    addresses, encoding = addresses_of(module)
    report = count_sectors(addresses, encoding, 1)
    assert (report.requests, report.sectors) == (32, 32)


BUFFER = """
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
    %v = amdg.buffer_load %x[%i] : tensor<1024xf32, #line>
    amdg.buffer_store %v, %x[%i] : tensor<1024xf32, #line>
    %c = arith.constant dense<0> : tensor<1024xi32, #line>
    %old = amdg.buffer_atomic_cas acq_rel, gpu, %c, %c, %y[%i] : tensor<1024xi32, #line>"""


@pytest.mark.parametrize(("divisor", "elements"), [(16, 4), (8, 2), (4, 1), (1, 1)])
@pytest.mark.parametrize(
    "name", ["amdg.buffer_load", "amdg.buffer_store", "amdg.buffer_atomic_cas"]
)
def test_buffer_instructions_are_aligned_as_their_base(name, divisor, elements):
    pointer = f"{{tt.divisibility = {divisor} : i32}}"
    arguments = f"%x: !tt.ptr<f32> {pointer}, %y: !tt.ptr<i32> {pointer}"
    module = module_of(BUFFER, arguments, target="hip:gfx942")
    assert width_of(module, name).elements == elements
    assert addresses_of(module, name)[0].base_alignment == elements


def test_atomics():
    body = """
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
    %b = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #line>
    %p = tt.addptr %b, %i : tensor<1024x!tt.ptr<i32>, #line>, tensor<1024xi32, #line>
    %c = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (tensor<1024x!tt.ptr<i32>, #line>, tensor<1024xi32, #line>, tensor<1024xi32, #line>) -> tensor<1024xi32, #line>"""  # noqa: E501
    module = module_of(body, "%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}")
    assert width_of(module, "tt.atomic_cas").elements == 4


def test_operations_without_a_tensor_of_addresses():
    module = module_of("%v = tt.load %x : !tt.ptr<f32>", "%x: !tt.ptr<f32>")
    assert find_addresses(named(module, "tt.load"), axis_info(module)) is None
    assert find_addresses(named(module, "tt.return"), axis_info(module)) is None


@pytest.mark.parametrize("element", ["i1", "i8", "f16", "f32", "f64"])
@pytest.mark.parametrize("divisor", [1, 4, 16])
@pytest.mark.parametrize("mask", ["", "{tt.divisibility = 2 : i32}"])
def test_the_width_is_that_of_code_generation(element, divisor, mask):
    module = pointers(element, divisor=divisor, mask=mask)
    load, facts = named(module, "tt.load"), axis_info(module)
    addresses = required(find_addresses(load, facts))
    layout = required(types.encoding(addresses.pointers.type))
    limits = [WIDEST_BITS // addresses.bits, facts.contiguity(addresses.pointers)]
    if mask:
        limits.append(facts.mask_alignment(load.operands[1]))
    assert compute_width(addresses, layout).elements == min(limits)
