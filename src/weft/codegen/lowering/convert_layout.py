"""ttg.convert_layout, by the conversion plan of `weft.layouts`.

    nothing, registers    the result's registers are the source's in another order
    swap                  exchanges of a register bit with a lane bit: half of the registers each
    shuffle               rounds in which each lane publishes one register and reads another lane's
    shared                store, barrier, load (`shared_memory_access`)

By hand, exchanging register bit 0 with lane bit 2 (distance 4): lanes without bit 2 keep register 0
and send register 1; lanes with bit 2 keep register 1 and send register 0.

    %odd  = lane & 4 != 0
    %sent = select %odd, %r0, %r1
    %got  = shfl.bfly %sent, 4
    %r0'  = select %odd, %got, %r0
    %r1'  = select %odd, %r1, %got

Elements of less than a byte are converted as bytes. The instructions are those that
`weft layout --to` counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace
from xdsl.ir import Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import as_integer, from_integer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import bit_width, shuffle_value
from weft.codegen.lowering.common.lane_select import LaneSelect
from weft.codegen.lowering.common.scratch import preferred_scratch, scratch
from weft.codegen.lowering.common.shared_memory_access import convert_through_shared_memory
from weft.codegen.lowering.registry import lowers
from weft.ir import amdg, ttg
from weft.layouts.column_action import remove_broadcast
from weft.layouts.plans import (
    RegisterPlan,
    Round,
    SharedPlan,
    ShufflePlan,
    TranspositionPlan,
)
from weft.layouts.plans.conversion import Conversion
from weft.layouts.plans.transposition_plan import LanePermutation, Transposition
from weft.lowering_plans.conversion import conversion_bytes, plan_conversion, preferred_bytes
from weft.targets import Target

_WORD = 32  # bits
Together = tuple[int, ...]
"""Registers of small elements that travel in one word."""


@scratch(ttg.ConvertLayoutOp)
def _bytes(op: ttg.ConvertLayoutOp, target: Target) -> int:
    """Count the shared memory of one repetition."""
    return conversion_bytes(op, target)


@preferred_scratch(ttg.ConvertLayoutOp)
def _room(op: ttg.ConvertLayoutOp, target: Target) -> int:
    """Count the shared memory of all repetitions side by side."""
    return preferred_bytes(op, target)


@lowers(ttg.ConvertLayoutOp, amdg.InThreadTransposeOp)
def _convert_layout(ctx: LoweringContext, op: Operation) -> None:
    source, plan = op.operands[0], plan_conversion(op, ctx.hardware.target)
    ctx.define(op.results[0], convert_registers(ctx, op, plan, llvm_type(source.type), ctx[source]))


def convert_registers(
    ctx: LoweringContext, op: Operation, plan: Conversion, type_: str, registers: Sequence[str]
) -> list[str]:
    """Convert registers to a plan's target layout.

    Args:
        ctx: State of the function.
        op: The operation whose scratch memory is used.
        plan: The conversion plan.
        type_: LLVM type of an element.
        registers: Registers of the source, with replicas.
    """
    # Plans are for layouts without replicas, and convert i1 as bytes.
    unique_registers = remove_broadcast(plan.source).apply_values(range(len(registers)))
    values = [registers[register] for register in unique_registers]
    if type_ == "i1":
        values = [ctx.writer.value(f"zext i1 {value} to i8") for value in values]
    results = _execute(ctx, op, plan.plan, "i8" if type_ == "i1" else type_, values)
    if type_ == "i1":
        results = [ctx.writer.value(f"trunc i8 {value} to i1") for value in results]
    return [results[register] for register in plan.register_map]


def _execute(
    ctx: LoweringContext,
    op: Operation,
    plan: RegisterPlan | TranspositionPlan | ShufflePlan | SharedPlan,
    type_: str,
    values: list[str],
) -> list[str]:
    """Convert registers without replicas by a plan.

    Args:
        ctx: State of the function.
        op: The operation whose scratch memory is used.
        plan: The conversion plan.
        type_: LLVM type of an element.
        values: Registers of the source.
    """
    if isinstance(plan, RegisterPlan):
        return [values[register] for register in plan.registers]
    if isinstance(plan, TranspositionPlan):
        return _transpose(ctx, plan, type_, values)
    if isinstance(plan, ShufflePlan):
        return _shuffle_in_rounds(ctx, plan, type_, values)
    return convert_through_shared_memory(ctx, plan, ctx.allocation.scratch[op], type_, values)


def _transpose(
    ctx: LoweringContext, plan: TranspositionPlan, type_: str, values: list[str]
) -> list[str]:
    """Execute the steps of a swap plan, on words of several elements if elements are small."""
    registers, bits = list(values) * plan.copies, bit_width(type_)
    if plan.packed == 1:
        for step in plan.steps:
            registers = _execute_step(ctx, step, type_, registers)
        return [registers[register] for register in plan.registers]
    # Registers that no step exchanges are packed, so that one shuffle moves several elements.
    word, groups = f"i{bits * plan.packed}", _packed(plan, len(registers))
    words = [_pack(ctx, type_, bits, [registers[n] for n in group]) for group in groups]
    for step in _among_words(plan):
        words = _execute_step(ctx, step, word, words)
    for group, whole in zip(groups, words, strict=True):
        for n, value in zip(group, _unpack(ctx, type_, bits, whole, plan.packed), strict=True):
            registers[n] = value
    return [registers[register] for register in plan.registers]


def _packed(plan: TranspositionPlan, count: int) -> list[list[int]]:
    """List the registers of each word."""
    mask = sum(1 << bit for bit in _packed_bits(plan))
    inside = [n for n in range(count) if not n & ~mask]
    return [[n | part for part in inside] for n in range(count) if not n & mask]


def _packed_bits(plan: TranspositionPlan) -> list[int]:
    """List the lowest register bits that no step exchanges."""
    exchanged = {step.register for step in plan.steps if isinstance(step, Transposition)}
    every = (plan.source.in_size("register") * plan.copies).bit_length() - 1
    stays = [bit for bit in range(every) if bit not in exchanged]
    return stays[: plan.packed.bit_length() - 1]


def _among_words(plan: TranspositionPlan) -> list[Transposition | LanePermutation]:
    """Renumber the register bits of steps for words."""
    packed = _packed_bits(plan)
    return [
        replace(step, register=step.register - sum(bit < step.register for bit in packed))
        if isinstance(step, Transposition)
        else step
        for step in plan.steps
    ]


def _pack(ctx: LoweringContext, type_: str, bits: int, values: Sequence[str]) -> str:
    """Pack elements into one integer, the first in its lowest bits."""
    w, whole, vector = ctx.writer, "poison", f"<{len(values)} x i{bits}>"
    for n, value in enumerate(values):
        integer = as_integer(w, type_, bits, value)
        whole = w.value(f"insertelement {vector} {whole}, i{bits} {integer}, i32 {n}")
    return w.value(f"bitcast {vector} {whole} to i{bits * len(values)}")


def _unpack(ctx: LoweringContext, type_: str, bits: int, whole: str, count: int) -> list[str]:
    """Unpack the elements of an integer."""
    w, vector = ctx.writer, f"<{count} x i{bits}>"
    whole = w.value(f"bitcast i{bits * count} {whole} to {vector}")
    integers = [w.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(count)]
    return [from_integer(w, type_, bits, value) for value in integers]


def _execute_step(
    ctx: LoweringContext,
    step: Transposition | LanePermutation,
    type_: str,
    registers: Sequence[str],
) -> list[str]:
    """Execute one step on all registers."""
    w, results = ctx.writer, list(registers)
    if isinstance(step, Transposition):
        _exchange_bits(ctx, step, type_, results)
        return results
    takes = ctx.threads.apply_bases("lane", [1 << source for source in step.sources])
    move = lambda word: ctx.hardware.lanes.shuffle_index(w, word, takes)  # noqa: E731
    return [shuffle_value(w, type_, value, move) for value in results]


def _exchange_bits(
    ctx: LoweringContext, step: Transposition, type_: str, registers: list[str]
) -> None:
    """Exchange a register bit with a lane bit: each lane keeps half of its registers."""
    w, distance = ctx.writer, 1 << step.lane
    if step.by_swap:
        _swap(ctx, step, type_, registers)
        return
    odd = ctx.threads.any_bit_set("lane", distance)
    for first in range(len(registers)):
        second = first | 1 << step.register
        if first == second:
            continue
        # The register whose bit differs from the lane's goes to the partner lane.
        a, b = registers[first], registers[second]
        sent = w.value(f"select i1 {odd}, {type_} {a}, {type_} {b}")
        received = shuffle_value(
            w, type_, sent, lambda word: ctx.hardware.lanes.shuffle_xor(w, word, distance)
        )
        registers[first] = w.value(f"select i1 {odd}, {type_} {received}, {type_} {a}")
        registers[second] = w.value(f"select i1 {odd}, {type_} {b}, {type_} {received}")


def _swap(ctx: LoweringContext, step: Transposition, type_: str, registers: list[str]) -> None:
    """Exchange a register bit with a lane bit by swap instructions, which need no selects.

    Elements of less than 32 bits are swapped several at a time.
    """
    w = ctx.writer
    bits = bit_width(type_)
    pairs = [n for n in range(len(registers)) if not n >> step.register & 1]
    each = max(1, _WORD // bits)
    for start in range(0, len(pairs), each):
        firsts = pairs[start : start + each]
        sides = [firsts, [first | 1 << step.register for first in firsts]]
        words = [_words(ctx, type_, bits, [registers[n] for n in side]) for side in sides]
        swapped = [
            ctx.hardware.lanes.swap(w, 1 << step.lane, *both) for both in zip(*words, strict=True)
        ]
        for side, result in zip(sides, zip(*swapped, strict=True), strict=True):
            for n, value in zip(side, _elements(ctx, type_, bits, result), strict=False):
                registers[n] = value


def _words(ctx: LoweringContext, type_: str, bits: int, values: list[str]) -> list[str]:
    """Pack elements into 32-bit words."""
    w, count = ctx.writer, max(1, _WORD // bits)
    whole, vector = "poison", f"<{count} x i{bits}>"
    for n, value in enumerate(values):
        integer = as_integer(w, type_, bits, value)
        whole = w.value(f"insertelement {vector} {whole}, i{bits} {integer}, i32 {n}")
    many = max(1, bits // _WORD)
    words = w.value(f"bitcast {vector} {whole} to <{many} x i32>")
    return [w.value(f"extractelement <{many} x i32> {words}, i32 {n}") for n in range(many)]


def _elements(ctx: LoweringContext, type_: str, bits: int, words: Sequence[str]) -> list[str]:
    """Unpack elements from 32-bit words."""
    w, count = ctx.writer, max(1, _WORD // bits)
    whole, many = "poison", len(words)
    for n, word in enumerate(words):
        whole = w.value(f"insertelement <{many} x i32> {whole}, i32 {word}, i32 {n}")
    vector = f"<{count} x i{bits}>"
    whole = w.value(f"bitcast <{many} x i32> {whole} to {vector}")
    integers = [w.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(count)]
    return [from_integer(w, type_, bits, value) for value in integers]


def _shuffle_in_rounds(
    ctx: LoweringContext, plan: ShufflePlan, type_: str, values: list[str]
) -> list[str]:
    """Execute a shuffle plan: in each round a lane publishes one word and reads another lane's."""
    bits, count = bit_width(type_), len(plan.rounds[0][0].offers[0])
    word = type_ if count == 1 else f"i{bits * count}"
    published: dict[Together, str] = {}
    for registers in sorted({one for warp in plan.rounds for r in warp for one in r.offers}):
        elements = [values[register] for register in registers]
        published[registers] = elements[0] if count == 1 else _pack(ctx, type_, bits, elements)
    # Lanes publish different registers, and put what they receive in different ones: both are
    # selects on bits of the lane, shared among the rounds.
    chooser, received = LaneSelect(ctx, word), list[str]()
    for rounds in zip(*plan.rounds, strict=True):
        received.append(_round(ctx, rounds, chooser, published))
    words = {
        place: chooser.choose([_arrivals(warp, place, received) for warp in plan.rounds])
        for place in sorted({fills for warp in plan.rounds for r in warp for fills in r.fills})
        if place
    }
    out = ["poison"] * plan.target.in_size("register")
    for registers, whole in words.items():
        parts = [whole] if count == 1 else _unpack(ctx, type_, bits, whole, count)
        for register, value in zip(registers, parts, strict=True):
            out[register] = value
    return out


def _round(
    ctx: LoweringContext,
    warps: Sequence[Round],
    chooser: LaneSelect,
    published: Mapping[Together, str],
) -> str:
    """Publish a register per lane, and read the one that another lane publishes.

    Args:
        ctx: State of the function.
        warps: The round of each warp.
        chooser: Writes selections of registers.
        published: Published registers, as words.
    """
    received = chooser.choose([[published[registers] for registers in one.offers] for one in warps])
    if not any(one.needs_shuffle for one in warps):
        return received
    return shuffle_value(ctx.writer, chooser.type_, received, _move(ctx, warps))


def _arrivals(rounds: Sequence[Round], place: Together, received: Sequence[str]) -> list[str]:
    """List for each lane of a warp the round's value that fills a register."""
    results = ["poison"] * len(rounds[0].fills)
    for one, value in zip(rounds, received, strict=True):
        for lane, fills in enumerate(one.fills):
            if fills == place:
                results[lane] = value
    return results


def _move(ctx: LoweringContext, warps: Sequence[Round]) -> Callable[[str], str]:
    """Choose the shuffle of a round: by xor, if all lanes read from the same distance.

    Shuffles by xor are preferred only if they are one instruction of the vector unit.
    """
    w, hardware = ctx.writer, ctx.hardware
    distances = {takes ^ lane for one in warps for lane, takes in enumerate(one.source_lanes)}
    distance = min(distances)
    if len(distances) == 1 and hardware.lanes.is_one_instruction(distance):
        return lambda word: hardware.lanes.shuffle_xor(w, word, distance)
    source_lane = _source_lane(ctx, warps)
    return lambda word: hardware.lanes.shuffle_index(w, word, source_lane)


def _source_lane(ctx: LoweringContext, warps: Sequence[Round]) -> str:
    """Compute the lane to read from, which is affine in lane and warp over GF(2)."""
    first = warps[0].source_lanes[0]
    lanes, count = len(warps[0].source_lanes), len(warps)
    of_lane = [warps[0].source_lanes[1 << bit] ^ first for bit in range((lanes - 1).bit_length())]
    of_warp = [warps[1 << bit].source_lanes[0] ^ first for bit in range((count - 1).bit_length())]
    for warp, one in enumerate(warps):
        for lane, takes in enumerate(one.source_lanes):
            assert takes == first ^ _sum(of_lane, lane) ^ _sum(of_warp, warp), "not affine"
    parts = [
        ctx.threads.apply_bases("lane", of_lane),
        ctx.threads.apply_bases("warp", of_warp),
        str(first),
    ]
    total = parts[0]
    for part in parts[1:]:
        if part != "0":
            total = ctx.writer.value(f"xor i32 {total}, {part}")
    return total


def _sum(images: Sequence[int], number: int) -> int:
    """Compute the xor of the images of a number's bits."""
    total = 0
    for bit, image in enumerate(images):
        total ^= image if number >> bit & 1 else 0
    return total
