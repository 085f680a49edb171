"""Aliases: their order, numbers, and place above or below the module."""

from __future__ import annotations

from weft.ir import attributes, locations, types
from weft.ir.encodings import attribute
from weft.ir.text.aliases import Aliases, stem
from weft.ir.ttg.types import MemDescType, SharedMemoryAttr
from weft.layouts import parse

BLOCKED = attribute(
    parse(
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], "
        "order = [1, 0]}>"
    )
)
OTHER = attribute(
    parse(
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], "
        "order = [1, 0]}>"
    )
)
SHARED = parse("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>")
SPACE = SharedMemoryAttr()
HERE, THERE = locations.file("k.py", 7, 4), locations.file("k.py", 8, 4)


def test_stems() -> None:
    assert stem(BLOCKED) == "blocked"
    assert stem(attribute(SHARED)) == "shared"
    assert stem(SPACE) == "smem"
    assert stem(HERE) == "loc"
    assert stem(types.i32) is None


def test_aliases_are_numbered_by_stem_in_order_of_occurrence() -> None:
    aliases = Aliases()
    for inner in (OTHER, SPACE, BLOCKED, OTHER):
        aliases.visit(inner)
    above, below = aliases.name()
    assert aliases.names == {OTHER: "#blocked", BLOCKED: "#blocked1", SPACE: "#smem"}
    assert above == [OTHER, BLOCKED, SPACE]
    assert below == []


def test_attributes_inside_others_come_first() -> None:
    aliases = Aliases()
    named = locations.named("acc", HERE)
    assert aliases.visit(named, deferrable=True) == 2
    aliases.visit(THERE, deferrable=True)
    _, below = aliases.name()
    assert below == [HERE, THERE, named]
    assert aliases.names == {HERE: "#loc", THERE: "#loc1", named: "#loc2"}


def test_types_and_containers_are_searched() -> None:
    aliases = Aliases()
    buffer = MemDescType.of((8, 8), types.f16, SHARED, SPACE)
    assert aliases.visit(buffer) == 1
    assert aliases.visit(types.tensor((8, 8), types.f16)) == 0
    above, _ = aliases.name()
    assert above == [attribute(SHARED), SPACE]
    assert attributes.unit not in aliases.names


def test_a_location_is_below_if_only_operations_refer_to_it() -> None:
    aliases = Aliases()
    aliases.visit(HERE, deferrable=True)
    aliases.visit(THERE, deferrable=True)
    aliases.visit(HERE)  # of a block argument
    assert aliases.name() == ([HERE], [THERE])


def test_a_location_inside_one_above_is_above() -> None:
    aliases = Aliases()
    named = locations.named("acc", HERE)
    aliases.visit(named, deferrable=True)
    aliases.visit(named)
    assert aliases.name() == ([HERE, named], [])
