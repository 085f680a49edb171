"""Plans beside what Triton's wheel makes of the same conversions."""

from __future__ import annotations

import random

import pytest

from tests.layouts.lane_addresses import shared_accesses
from tests.layouts.triton_lowering import Lowered, lower
from weft.layouts import (
    AmdMfmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    NvidiaMmaEncoding,
    SliceEncoding,
)
from weft.layouts.bank_conflicts import wavefronts_of
from weft.layouts.plans import SharedPlan, conversion
from weft.layouts.plans.conversion import Conversion
from weft.layouts.shared_memory import SharedMemory
from weft.targets import Target, target

pytestmark = pytest.mark.oracle

CHIPS = ["sm_80", "sm_90", "sm_100", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1250"]
ELEMENTS = {"i1": 1, "i8": 8, "f16": 16, "f32": 32, "i64": 64}


def split(dice: random.Random, bits: int, rank: int) -> tuple[int, ...]:
    sizes = [1] * rank
    for _ in range(bits):
        sizes[dice.randrange(rank)] *= 2
    return tuple(sizes)


def blocked(dice: random.Random, rank: int, lanes: int, warps: int) -> BlockedEncoding:
    order = tuple(dice.sample(range(rank), rank))
    registers = dice.randrange(5)
    per_thread, per_warp, per_cta = (split(dice, bits, rank) for bits in (registers, lanes, warps))
    return BlockedEncoding(per_thread, per_warp, per_cta, order)


def some_encoding(dice: random.Random, chip: Target, warps: int) -> Encoding:
    lanes = chip.threads_per_warp.bit_length() - 1
    luck = dice.random()
    if luck < 0.1:
        return SliceEncoding(dice.randrange(3), blocked(dice, 3, lanes, warps))
    if luck < 0.6 or (chip.backend == "hip" and lanes == 5):
        return blocked(dice, 2, lanes, warps)
    if chip.backend == "cuda":
        result = NvidiaMmaEncoding(2, 0, split(dice, warps, 2), (16, 8))
        widths = [1, 2, 4]
    else:
        instruction = dice.choice([(32, 32, 8), (16, 16, 16)])
        version = 4 if chip.generation == "cdna4" else 3
        result = AmdMfmaEncoding(version, split(dice, warps, 2), instruction, dice.random() < 0.5)
        widths = [4, 8]
    if luck < 0.8:
        return result
    return DotOperandEncoding(dice.randrange(2), result, dice.choice(widths))


def compared(count: int, seed: int):
    """Yield the chip's memory, weft's plan and Triton's lowering of random conversions."""
    dice = random.Random(seed)
    while count:
        chip = target(dice.choice(CHIPS))
        warps = dice.randrange(4)
        shape = (1 << dice.randrange(4, 8), 1 << dice.randrange(4, 8))
        element = dice.choice(list(ELEMENTS))
        source, target_encoding = (some_encoding(dice, chip, warps) for _ in range(2))
        pair = source.linear(shape), target_encoding.linear(shape)
        if max(one.in_size("register") for one in pair) * ELEMENTS[element] > 128 * 64:
            continue
        plan = conversion(*pair, ELEMENTS[element], chip.shared_memory)
        yield plan, lower(source, target_encoding, shape, element, chip)
        count -= 1


def passes(theirs: Lowered, memory: SharedMemory, warps: int) -> int:
    """Return the passes over the banks of the accesses that Triton made, of all warps."""
    total = 0
    for access in shared_accesses(theirs.text, memory.lanes * warps, memory.lanes):
        for row in access.addresses.reshape(warps, -1)[:, : access.lanes].tolist():
            rows = [*row, *(None for _ in range(memory.lanes - access.lanes))]
            total += wavefronts_of(rows, access.bits, memory, access.kind)
    return total


def test_conversions_beside_the_wheel() -> None:
    """The kind is Triton's, or a shuffle in its stead; what is dearer in one way saves in another.

    Shared memory is never passed more often than in Triton's lowering, whose addresses are run
    for every thread and counted by the same banks. Where weft takes more instructions, it passes
    less often. Where it takes more scratch, it takes fewer instructions, or fewer barriers.
    """
    tally = {"shuffled": 0, "fewer passes": 0, "same passes": 0, "more instructions": 0}
    for plan, theirs in compared(400, 11):
        kind = "registers" if plan.kind == "nothing" else plan.kind
        if kind != theirs.kind:
            assert (kind, theirs.kind) == ("shuffle", "shared")
            tally["shuffled"] += 1
        elif kind == "shared":
            _in_shared_memory(plan, theirs, tally)
        elif kind == "shuffle":
            assert plan.cost.shuffles <= theirs.count("shuffle", "dpp")
    assert tally["more instructions"] * 50 <= sum(tally.values()), tally
    assert min(tally["shuffled"], tally["fewer passes"]) > 50, tally


def _in_shared_memory(plan: Conversion, theirs: Lowered, tally: dict[str, int]) -> None:
    """Compare two round trips."""
    assert isinstance(plan.plan, SharedPlan)
    cost = plan.cost
    own = cost.write_passes + cost.read_passes
    other = passes(theirs, plan.plan.memory, plan.source.in_size("warp"))
    assert own <= other
    tally["fewer passes" if own < other else "same passes"] += 1
    instructions = theirs.count("store", "load", "stmatrix", "ldmatrix")
    if cost.stores + cost.loads > instructions:
        assert own < other
        tally["more instructions"] += 1
    elif cost.shared_bytes > theirs.scratch:
        saved = cost.stores + cost.loads < instructions or cost.barriers < theirs.count("barrier")
        assert saved or own < other
