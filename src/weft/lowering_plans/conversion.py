"""Plan a layout conversion, and count its instructions.

`weft.layouts.plans` chooses among registers, shuffles and shared memory. How many repetitions
through shared memory share a barrier depends on the scratch memory that was free.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from xdsl.ir import Operation

from weft.ir import types
from weft.layouts import PaddedSharedEncoding
from weft.layouts.plans import SharedPlan, ShufflePlan, TranspositionPlan, conversion
from weft.layouts.plans.conversion import Conversion
from weft.layouts.plans.shared_access import SharedAccess
from weft.layouts.plans.transposition_plan import Transposition
from weft.layouts.shared_memory import SharedMemory
from weft.lowering_plans import lane_moves
from weft.lowering_plans.instruction import BankTraffic, Instruction, count_wavefronts
from weft.lowering_plans.registers import layout_of
from weft.targets import Target

__all__ = [
    "access_addresses",
    "access_instruction",
    "conversion_bytes",
    "conversion_instructions",
    "plan_conversion",
    "preferred_bytes",
    "repetition_slots",
]

_WORD = 32


def plan_conversion(op: Operation, target: Target) -> Conversion:
    """Plan a conversion on a chip."""
    source, result = op.operands[0].type, op.results[0].type
    bits = types.bit_width(source)
    return conversion(layout_of(source), layout_of(result), bits, target.shared_memory)


def conversion_bytes(op: Operation, target: Target) -> int:
    """Count the shared memory of one repetition."""
    return plan_conversion(op, target).cost.shared_bytes


def preferred_bytes(op: Operation, target: Target) -> int:
    """Count the shared memory of all repetitions side by side."""
    plan = plan_conversion(op, target)
    return plan.repetitions * plan.cost.shared_bytes


def repetition_slots(plan: SharedPlan, scratch_bytes: int) -> int:
    """Count the repetitions that fit in the scratch memory side by side."""
    return max(1, min(plan.repetitions, scratch_bytes // plan.cost.shared_bytes))


def conversion_instructions(
    plan: Conversion, target: Target, num_warps: int, scratch_bytes: int | None = None
) -> Iterator[Instruction]:
    """Yield the instructions of a conversion, with the barriers that it contains.

    Args:
        plan: The plan.
        target: The chip.
        num_warps: Warps of a CTA.
        scratch_bytes: The scratch memory, None for that of all repetitions.
    """
    steps = plan.plan
    if isinstance(steps, TranspositionPlan):
        moves = _transposition_moves(steps, target)
        if moves:
            yield Instruction("shuffle", _WORD, moves, num_warps)
    elif isinstance(steps, ShufflePlan):
        yield Instruction("shuffle", _WORD, _round_moves(steps, target), num_warps)
    elif isinstance(steps, SharedPlan):
        remote = steps.kind == "cluster"
        yield access_instruction(steps.write, steps.element_bits, steps.memory, target)
        read = access_instruction(steps.read, steps.element_bits, steps.memory, target)
        yield Instruction("cluster load", read.bits, read.count, read.warps) if remote else read
        slots = steps.repetitions
        if scratch_bytes is not None:
            slots = repetition_slots(steps, scratch_bytes)
        rounds = -(-steps.repetitions // slots)
        kind, count = ("cluster barrier", 2) if remote else ("barrier", 2 * rounds - 1)
        yield Instruction(kind, 0, count, num_warps)


def _transposition_moves(plan: TranspositionPlan, target: Target) -> int:
    """Count the moves between lanes of a plan of transpositions."""
    cost = plan.cost
    if lane_moves.shuffles_any_lane(target):
        return cost.shuffles + cost.swaps
    exchanges = [step for step in plan.steps if isinstance(step, Transposition)]
    shuffling = [step for step in exchanges if not step.by_swap]
    permuting = [step for step in plan.steps if not isinstance(step, Transposition)]
    weight = len(shuffling) + 2 * len(permuting)  # a transposition moves half of the registers
    if not weight:
        return cost.swaps
    each = cost.shuffles // weight
    moves = sum(each * lane_moves.count_xor_moves(target, 1 << step.lane) for step in shuffling)
    return moves + 2 * each * len(permuting) + cost.swaps


def _round_moves(plan: ShufflePlan, target: Target) -> int:
    """Count the moves between lanes of a plan of rounds."""
    return plan.cost.shuffles


def access_instruction(
    access: SharedAccess,
    element_bits: int,
    memory: SharedMemory,
    target: Target,
    padding: PaddedSharedEncoding | None = None,
) -> Instruction:
    """Count the instructions and wavefronts of one side of an access to shared memory.

    Args:
        access: The plan.
        element_bits: Bits of an element in memory.
        memory: The shared memory of the chip.
        target: The chip.
        padding: The encoding of the buffer, if it is padded.
    """
    reads = access.bases.kind == "read"
    kind = "shared load" if reads else "shared store"
    if access.tile.grows:
        kind = "matrix load" if reads else "matrix store"
    elif not access.tile.is_plain:
        kind = "matrix load"
    if not lane_moves.shuffles_any_lane(target):
        # There are no predicates: threads with replicas store, too, to the same addresses.
        access = replace(access, idle_lanes=0, idle_warps=0)
    warps = access.warps
    if padding is None:
        passes, ideal = access.passes(element_bits, memory)
        traffic = BankTraffic(passes * access.count * warps, ideal * access.count * warps)
    else:
        traffic = _padded_traffic(access, element_bits, memory, padding)
    bits = element_bits << access.register_bits
    return Instruction(
        kind,
        bits,
        access.count,
        warps,
        wavefronts=traffic.wavefronts,
        ideal_wavefronts=traffic.ideal,
        name=access.name,
    )


def _padded_traffic(
    access: SharedAccess, element_bits: int, memory: SharedMemory, padding: PaddedSharedEncoding
) -> BankTraffic:
    """Count the passes over the banks of every instruction: gaps differ between addresses."""
    rows = access_addresses(access, element_bits, memory, padding)
    traffic = count_wavefronts(rows, access.tile.bits, memory, access.bases.kind)
    return BankTraffic(
        traffic.wavefronts << access.repetitions, traffic.ideal << access.repetitions
    )


def access_addresses(
    access: SharedAccess,
    element_bits: int,
    memory: SharedMemory,
    padding: PaddedSharedEncoding | None = None,
) -> Iterator[list[int | None]]:
    """Yield the byte address of each lane for the instructions of one repetition, warp by warp.

    The arguments are those of `access_instruction`. Lanes that take no part have None.
    """
    offsets = access.addresses()[..., 0]
    octets = (offsets if padding is None else padding.padded(offsets)) * element_bits // 8
    idle_lanes = access.idle_lanes if access.tile.is_plain else 0
    unused: list[int | None] = [None] * (memory.lanes - octets.shape[1])
    for of_instruction in octets:
        for warp, row in enumerate(of_instruction.T.tolist()):
            if not warp & access.idle_warps:
                yield [None if lane & idle_lanes else at for lane, at in enumerate(row)] + unused
