"""Plan a reduction: shuffles across the lanes of a warp, and an exchange between warps.

By hand, a 4x64 tile over 2 warps of 32 lanes with one register bit, reduced along dimension 1:

    register bit 0 → column 1     the thread adds its two columns: one row
    lane bits 0–4  → column 2–32  butterflies (0, 1, 2, 3, 4)
    warp bit 0     → row 2        no exchange

`weft.codegen.lowering.reduce` carries the plan out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import prod
from operator import xor

from msgspec import Struct
from xdsl.ir import Block, Operation

from weft.ir import types
from weft.layouts import LinearLayout
from weft.layouts.cga import cta_tile_layout, cta_tile_shape
from weft.lowering_plans import lane_moves
from weft.lowering_plans.axis_runs import axis_runs, segment_bases, steps_along
from weft.lowering_plans.halving import choose_halving_steps, is_cheaper_by_butterflies
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.partials import PartialsPlan, plan_partials
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.registers import layout_of, register_offsets
from weft.targets import Target

__all__ = [
    "ReductionPlan",
    "first_registers",
    "halved_register",
    "only_operation",
    "partials_bytes",
    "plan_reduction",
    "rows_of",
    "waited_for",
]

Row = tuple[int, ...]


class ReductionPlan(Struct, frozen=True):
    """How a reduction is carried out, after each thread has reduced its registers of each row.

    Attributes:
        groups: The first register of each row, in the order of the registers.
        words: Words of 32 bits of the values of a row.
        by_instruction: Whether one instruction reduces a row over the warp.
        halved: Lane bits by which lanes divide the rows among them.
        butterflies: Lane bits by whose butterflies rows are combined.
        gathered_lanes: Lanes that are read into scalar registers, one of each row of 16 lanes.
        partials: The exchange between warps or CTAs, None if there is none.
    """

    groups: tuple[int, ...]
    words: int
    by_instruction: bool
    halved: tuple[int, ...]
    butterflies: tuple[int, ...]
    gathered_lanes: tuple[int, ...]
    partials: PartialsPlan | None

    @property
    def remaining_groups(self) -> tuple[int, ...]:
        """The registers that hold rows after the halving."""
        return self.groups[: len(self.groups) >> len(self.halved)]

    def instructions(self, target: Target, num_warps: int) -> Iterator[Instruction]:
        """Yield the instructions, with the barriers that the exchange contains."""
        rows, words = len(self.groups), self.words
        if self.by_instruction:
            yield Instruction("warp reduction", 32, rows, num_warps)
        shuffles = 0
        for step, bit in enumerate(self.halved, 1):
            shuffles += (rows >> step) * lane_moves.count_xor_moves(target, 1 << bit)
        rows >>= len(self.halved)
        shuffles += rows * sum(
            lane_moves.count_xor_moves(target, 1 << bit) for bit in self.butterflies
        )
        shuffles += rows * len(self.gathered_lanes)
        exchanged = self.partials.lane_bits if self.partials else ()
        shuffles += rows * sum(lane_moves.count_xor_moves(target, 1 << bit) for bit in exchanged)
        if self.halved:
            shuffles += len(self.groups)  # every lane gets the other rows back
        if shuffles:
            yield Instruction("shuffle", 32, shuffles * words, num_warps)
        if self.partials is not None:
            between_ctas = self.partials.ctas > 1
            yield from self.partials.instructions(self.remaining_groups, target.shared_memory)
            kind = "cluster barrier" if between_ctas else "barrier"
            yield Instruction(kind, 0, 2 if between_ctas else 1, num_warps)


def plan_reduction(op: Operation, target: Target) -> ReductionPlan:
    """Plan a tt.reduce.

    Raises:
        CodegenError: The layout of its operand cannot be reduced along the axis.
    """
    axis, source = integer_property(op, "axis"), op.operands[0].type
    groups = tuple(sorted(set(first_registers(layout_of(source), axis).values())))
    lanes = steps_along(source, axis, "lane")
    words = sum(lane_moves.count_words(operand.type) for operand in op.operands)
    by_instruction = _is_one_instruction(op, lanes, target)
    steps = 0
    if not by_instruction and lane_moves.shuffles_any_lane(target):
        instructions = len(list(op.regions[0].block.walk())) - 1
        parts, _ = _parts(op)
        sizes = len(groups), len(lanes), parts
        steps = choose_halving_steps(*sizes, words, instructions, waited_for=waited_for(op))
    halved = tuple(lanes[:steps])
    remaining = [] if by_instruction else lanes[steps:]
    butterflies = _bits_of_rows(remaining, target) if len(groups) >> steps == 1 else remaining
    gathered: Sequence[int] = ()
    if butterflies != remaining:
        gathered = range(0, target.threads_per_warp, lane_moves.row_lanes(target))
    partials = None
    if any(steps_along(source, axis, kind) for kind in ("warp", "block")):
        partials = _plan_exchange(op, groups, halved, target)
    return ReductionPlan(
        groups, words, by_instruction, halved, tuple(butterflies), tuple(gathered), partials
    )


def rows_of(layout: LinearLayout, axis: int) -> list[Row]:
    """List the row of each register: its coordinates without the axis."""
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    return list(zip(*offsets[:axis], *offsets[axis + 1 :], strict=True)) or [()] * len(offsets[0])


def first_registers(layout: LinearLayout, axis: int) -> dict[Row, int]:
    """Map each row to its first register."""
    table: dict[Row, int] = {}
    for register, row in enumerate(rows_of(layout, axis)):
        table.setdefault(row, register)
    return table


def halved_register(groups: Sequence[int], halved: Sequence[int], bit: int) -> int:
    """Get the register of the row that a lane with this bit holds instead of lane 0's first.

    Args:
        groups: The first register of each row.
        halved: Lane bits, in the order of the halving steps.
        bit: One of them.
    """
    return groups[len(groups) >> list(halved).index(bit) + 1]


def _parts(op: Operation) -> tuple[int, int]:
    """Count the warps that hold parts of a row, and all parts of a CTA."""
    axis, source = integer_property(op, "axis"), op.operands[0].type
    shape = cta_tile_shape(layout_of(source))
    parts = 1 << len(steps_along(source, axis, "warp"))
    return parts, parts * prod(shape[:axis] + shape[axis + 1 :])


def partials_bytes(op: Operation) -> int:
    """Count the bytes of a reduction's exchange: a partial per row and warp for each operand."""
    parts, slots = _parts(op)
    between = steps_along(op.operands[0].type, integer_property(op, "axis"), "block")
    if parts == 1 and not between:
        return 0
    return sum(slots * types.storage_bytes(operand.type) for operand in op.operands)


def _is_one_instruction(op: Operation, lanes: Sequence[int], target: Target) -> bool:
    """Check whether the chip reduces a row over the warp by one instruction.

    The instruction covers all lanes, and combines by one known operation.
    """
    if 1 << len(lanes) != target.threads_per_warp or len(op.operands) > 1:
        return False
    name = only_operation(op.regions[0].block)
    return lane_moves.has_warp_reduction(target, name, types.element(op.operands[0].type))


def only_operation(block: Block) -> str:
    """Get the name of a region's only operation, "" if it has several."""
    first, last = block.first_op, block.last_op
    if first is None or last is None or first.next_op is not last:
        return ""
    whole = set(first.operands) == set(block.args) and list(last.operands) == list(first.results)
    return first.name if whole else ""


def waited_for(op: Operation) -> bool:
    """Check whether the results are expanded to a tile before the loop's next iteration."""
    worklist, visited = list(op.results), set(op.results)
    while worklist:
        users = {use.operation for use in worklist.pop().uses}
        if any(user.name == "tt.expand_dims" for user in users):
            return True
        new_values = {result for user in users for result in user.results} - visited
        visited |= new_values
        worklist += new_values
    return False


def _bits_of_rows(lanes: list[int], target: Target) -> list[int]:
    """List the lane bits to combine by shuffles, if DPP rows are combined afterwards.

    Args:
        lanes: Bits of the lane along the axis; they are returned if a warp has other lanes, too.
        target: The chip.
    """
    whole = lanes == list(range(target.threads_per_warp.bit_length() - 1))
    return [bit for bit in lanes if 1 << bit < lane_moves.row_lanes(target)] if whole else lanes


def _plan_exchange(
    op: Operation, groups: Sequence[int], halved: Sequence[int], target: Target
) -> PartialsPlan:
    """Plan the exchange of partials between warps and CTAs.

    Args:
        op: The reduction.
        groups: The first register of each row.
        halved: Lane bits by which lanes have divided the rows among them.
        target: The chip.
    """
    source, axis = op.operands[0].type, integer_property(op, "axis")
    whole = layout_of(source)
    layout = cta_tile_layout(whole)
    size = cta_tile_shape(whole)[axis].bit_length() - 1
    parts, slots = _parts(op)
    bits = parts.bit_length() - 1
    numbers = {
        name: [number << bits for number in numbers_of_name]
        for name, numbers_of_name in segment_bases(layout, axis, size).items()
    }
    for part, bit in enumerate(steps_along(source, axis, "warp")):
        numbers["warp"][bit] |= 1 << part
    for bit in halved:
        register = halved_register(groups, halved, bit)
        images = (one for n, one in enumerate(numbers["register"]) if register >> n & 1)
        numbers["lane"][bit] = reduce(xor, images, 0)
    lanes = steps_along(source, axis, "lane")
    equal_lanes = sum(1 << bit for bit in lanes if bit not in halved)
    free = whole.free_variable_masks()
    holders = {"lane": (equal_lanes | free.get("lane", 0), 0), "warp": (free.get("warp", 0), 0)}
    between = [run for run in axis_runs(source, axis) if run.kind == "block"]
    ctas = 1 << len(between[0].bits) if between else 1
    sizes = [types.storage_bytes(operand.type) for operand in op.operands]
    chosen = [] if between else _loading_lanes(op, lanes, halved, parts, target)
    return plan_partials(sizes, slots, parts, numbers, holders, ctas=ctas, lane_bits=chosen)


def _loading_lanes(
    op: Operation, lanes: Sequence[int], halved: Sequence[int], parts: int, target: Target
) -> Sequence[int]:
    """Choose the lane bits by which lanes load one partial each, and combine them by butterflies.

    Returns:
        One bit for each bit of the warps that exchange; () if every thread loads all partials.
    """
    bits = parts.bit_length() - 1
    free = [bit for bit in lanes if bit not in halved][:bits]  # these lanes hold the same rows
    if len(free) < bits or not lane_moves.shuffles_any_lane(target):
        return ()
    words = sum(lane_moves.count_words(operand.type) for operand in op.operands)
    instructions = len(list(op.regions[0].block.walk())) - 1
    return free if is_cheaper_by_butterflies(parts, words, instructions) else ()
