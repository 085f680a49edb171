"""The layouts and conversions of a module, as data."""

from __future__ import annotations

import pytest

from tests.explain.inventories import inventory_in
from weft.explain.inventory import Launch, inventory, launch_attributes
from weft.ir.text import parse_module


@pytest.fixture
def listing(tmp_path):
    return inventory_in(tmp_path)


def test_launch(listing):
    assert listing.launch == Launch("kernel", "cuda:90", 4, 32)


def test_the_kernel_is_the_public_function():
    private = "tt.func private @helper() { tt.return }"
    public = "tt.func public @kernel() { tt.return }"
    module = parse_module(f"module {{ {private} {public} }}")
    assert launch_attributes(module) == Launch("kernel", "", 0, 0)
    assert launch_attributes(parse_module(f"module {{ {private} }}")).kernel == "helper"
    assert launch_attributes(parse_module("module {}")).kernel == ""


def test_layouts(listing):
    assert [(use.name, use.tensors, use.shapes) for use in listing.layouts] == [
        ("#blocked", 1, ("64xi32",)),
        ("slice dim 0 of #blocked1", 1, ("64xi32",)),
        ("slice dim 1 of #blocked1", 2, ("64xi32",)),
    ]


def test_aliases_are_in_the_order_of_their_numbers():
    lines = [
        f"%v{n} = arith.constant dense<0> : tensor<64xi32, #ttg.blocked<{{sizePerThread = "
        f"[{2**n}], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>>"
        for n in range(11)
    ]
    lines.append(lines[0].replace("%v0", "%w").replace("64xi32", "32xi32"))
    body = "\n".join(lines)
    uses = inventory(parse_module(f"module {{ tt.func @f() {{ {body}\n tt.return }} }}")).layouts
    assert [use.name for use in uses] == ["#blocked", *(f"#blocked{n}" for n in range(1, 11))]
    assert (uses[0].tensors, uses[0].shapes) == (2, ("64xi32", "32xi32"))


def test_conversions(listing):
    first, second, third = listing.conversions
    assert (first.before, first.after) == ("#blocked", "slice dim 0 of #blocked1")
    assert (first.shape, first.size_bytes, first.loop_depth) == ("64xi32", 256, 0)
    assert first.location.line == 2
    assert first.location.source == "    a = tl.arange(0, 64)"
    assert second.loop_depth == 1
    assert second == third  # a line of the standard library is replaced by its caller's
    assert second.location.line == 4
    assert (listing.converted_bytes, listing.in_loops) == (768, 2)


def test_ttir_has_no_layouts():
    listing = inventory(parse_module("module { tt.func @f() { tt.return } }"))
    assert listing.layouts == listing.conversions == ()
