"""convert_layout by the plan that `weft.layouts` makes for it.

    nothing, registers    other names for the same values
    shuffle               exchanges between lanes: of register bits with lane bits, or in rounds
    shared                store, barrier, load; an address is what lane and warp bits add, by xor

Elements of less than a byte travel as bytes. What the plan says is done to the letter, so that
the instructions are those that `weft layout --to` counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from weft.codegen.exchange import bits_of, exchange
from weft.codegen.families.shared_trip import shared_trip
from weft.codegen.hardware.words import as_integer, from_integer
from weft.codegen.llvm_types import llvm_type
from weft.codegen.lowering import Lowering, layout_of
from weft.codegen.registry import lowers
from weft.codegen.scratch import room, scratch
from weft.errors import CodegenError
from weft.ir import types
from weft.layouts.actions import remove_broadcast
from weft.layouts.plans import (
    RegisterPlan,
    Round,
    SharedPlan,
    ShufflePlan,
    SwapPlan,
    conversion,
)
from weft.layouts.plans.conversion import Conversion
from weft.layouts.plans.swaps import Exchange
from weft.targets import Target

_WORD = 32  # bits


def plan_of(op: Operation, target: Target) -> Conversion:
    """Return the plan of a conversion on a chip."""
    source, result = op.operands[0].type, op.results[0].type
    bits = types.bit_width(source)
    return conversion(layout_of(source), layout_of(result), bits, target.shared_memory)


@scratch("ttg.convert_layout")
def _bytes(op: Operation, target: Target) -> int:
    """Count what one repetition of a trip through shared memory takes."""
    return plan_of(op, target).cost.shared_bytes


@room("ttg.convert_layout")
def _room(op: Operation, target: Target) -> int:
    """Count what all repetitions take side by side."""
    plan = plan_of(op, target)
    return plan.repetitions * plan.cost.shared_bytes


@lowers("ttg.convert_layout", "amdg.in_thread_transpose")
def _convert_layout(low: Lowering, op: Operation) -> None:
    source, plan = op.operands[0], plan_of(op, low.hardware.target)
    low.define(op.results[0], convert_registers(low, op, plan, llvm_type(source.type), low[source]))


def convert_registers(
    low: Lowering, op: Operation, plan: Conversion, type_: str, registers: Sequence[str]
) -> list[str]:
    """Return the registers of a tensor in the layout that a plan ends at.

    Args: op: whose shared memory is used.  type_: of the elements in LLVM IR.
    """
    kept = remove_broadcast(plan.source).apply_values(range(len(registers)))
    values = [registers[register] for register in kept]
    if type_ == "i1":
        values = [low.writer.value(f"zext i1 {value} to i8") for value in values]
    moved = _moved(low, op, plan.plan, "i8" if type_ == "i1" else type_, values)
    if type_ == "i1":
        moved = [low.writer.value(f"trunc i8 {value} to i1") for value in moved]
    return [moved[register] for register in plan.places]


def _moved(
    low: Lowering,
    op: Operation,
    plan: RegisterPlan | SwapPlan | ShufflePlan | SharedPlan,
    type_: str,
    values: list[str],
) -> list[str]:
    """Return the registers of the plan's target.

    Args: op: whose shared memory is used.
    """
    if isinstance(plan, RegisterPlan):
        return [values[register] for register in plan.registers]
    if isinstance(plan, SwapPlan):
        return _exchanged(low, plan, type_, values)
    if isinstance(plan, ShufflePlan):
        return _in_rounds(low, plan, type_, values)
    return shared_trip(low, plan, low.allocation.scratch[op], type_, values)


def _exchanged(low: Lowering, plan: SwapPlan, type_: str, values: list[str]) -> list[str]:
    held, w = list(values) * plan.copies, low.writer
    for step in plan.steps:
        if isinstance(step, Exchange):
            _exchange_bits(low, step, type_, held)
            continue
        takes = low.threads.spread("lane", [1 << source for source in step.sources])
        held = [
            exchange(
                w,
                type_,
                value,
                lambda word, takes=takes: low.hardware.shuffle_index(w, word, takes),
            )
            for value in held
        ]
    return [held[register] for register in plan.registers]


def _exchange_bits(low: Lowering, step: Exchange, type_: str, held: list[str]) -> None:
    """Let each lane keep half of its registers, and swap the other half with its partner."""
    w, distance = low.writer, 1 << step.lane
    if step.by_swap:
        _swap(low, step, type_, held)
        return
    odd = low.threads.are_set("lane", distance)
    for first in range(len(held)):
        second = first | 1 << step.register
        if first == second:
            continue
        a, b = held[first], held[second]
        sent = w.value(f"select i1 {odd}, {type_} {a}, {type_} {b}")
        got = exchange(w, type_, sent, lambda word: low.hardware.shuffle_xor(w, word, distance))
        held[first] = w.value(f"select i1 {odd}, {type_} {got}, {type_} {a}")
        held[second] = w.value(f"select i1 {odd}, {type_} {b}, {type_} {got}")


def _swap(low: Lowering, step: Exchange, type_: str, held: list[str]) -> None:
    """Do the same by instructions that swap halves of two registers: no lane has to choose.

    Elements of less than 32 bits go several at once.
    """
    w = low.writer
    bits = bits_of(type_)
    pairs = [n for n in range(len(held)) if not n >> step.register & 1]
    each = max(1, _WORD // bits)
    for start in range(0, len(pairs), each):
        firsts = pairs[start : start + each]
        sides = [firsts, [first | 1 << step.register for first in firsts]]
        words = [_words(low, type_, bits, [held[n] for n in side]) for side in sides]
        swapped = [low.hardware.swap(w, 1 << step.lane, *both) for both in zip(*words, strict=True)]
        for side, found in zip(sides, zip(*swapped, strict=True), strict=True):
            for n, value in zip(side, _elements(low, type_, bits, found), strict=False):
                held[n] = value


def _words(low: Lowering, type_: str, bits: int, values: list[str]) -> list[str]:
    """Return elements as words of 32 bits."""
    w, count = low.writer, max(1, _WORD // bits)
    whole, vector = "poison", f"<{count} x i{bits}>"
    for n, value in enumerate(values):
        given = as_integer(w, type_, bits, value)
        whole = w.value(f"insertelement {vector} {whole}, i{bits} {given}, i32 {n}")
    many = max(1, bits // _WORD)
    words = w.value(f"bitcast {vector} {whole} to <{many} x i32>")
    return [w.value(f"extractelement <{many} x i32> {words}, i32 {n}") for n in range(many)]


def _elements(low: Lowering, type_: str, bits: int, words: Sequence[str]) -> list[str]:
    """Return the elements that words hold."""
    w, count = low.writer, max(1, _WORD // bits)
    whole, many = "poison", len(words)
    for n, word in enumerate(words):
        whole = w.value(f"insertelement <{many} x i32> {whole}, i32 {word}, i32 {n}")
    vector = f"<{count} x i{bits}>"
    whole = w.value(f"bitcast <{many} x i32> {whole} to {vector}")
    found = [w.value(f"extractelement {vector} {whole}, i32 {n}") for n in range(count)]
    return [from_integer(w, type_, bits, value) for value in found]


def _in_rounds(low: Lowering, plan: ShufflePlan, type_: str, values: list[str]) -> list[str]:
    out = ["poison"] * plan.target.in_size("register")
    for rounds in zip(*plan.rounds, strict=True):
        _round(low, rounds, type_, values, out)
    return out


def _round(
    low: Lowering, warps: Sequence[Round], type_: str, values: list[str], out: list[str]
) -> None:
    """Let each lane publish registers, take those of another lane, and keep them where it wants.

    Args: warps: the round as each warp does it.  out: what lanes have filled so far.
    """
    w = low.writer
    taken = _lane_taken_from(low, warps) if any(one.exchanges for one in warps) else ""
    for position in range(len(warps[0].publishes[0])):
        wanted = [[offer[position] for offer in one.publishes] for one in warps]
        got = _by_thread(low, type_, values, wanted)
        if taken:
            got = exchange(w, type_, got, lambda word: low.hardware.shuffle_index(w, word, taken))
        filled = [[fill[position] if fill else -1 for fill in one.fills] for one in warps]
        for place in sorted({place for one in filled for place in one} - {-1}):
            mine = low.threads.where(filled, place)
            out[place] = (
                w.value(f"select i1 {mine}, {type_} {got}, {type_} {out[place]}") if mine else got
            )


def _by_thread(
    low: Lowering, type_: str, values: list[str], wanted: Sequence[Sequence[int]]
) -> str:
    """Return the register that each thread wants.

    Args: wanted: per warp and lane.
    """
    distinct = sorted({register for one in wanted for register in one})
    chosen = values[distinct[0]]
    for register in distinct[1:]:
        mine = low.threads.where(wanted, register)
        chosen = low.writer.value(f"select i1 {mine}, {type_} {values[register]}, {type_} {chosen}")
    return chosen


def _lane_taken_from(low: Lowering, warps: Sequence[Round]) -> str:
    """Return the lane to take from: linear in lane and warp, but for a constant."""
    first = warps[0].takes[0]
    lanes, count = len(warps[0].takes), len(warps)
    of_lane = [warps[0].takes[1 << bit] ^ first for bit in range((lanes - 1).bit_length())]
    of_warp = [warps[1 << bit].takes[0] ^ first for bit in range((count - 1).bit_length())]
    for warp, one in enumerate(warps):
        for lane, takes in enumerate(one.takes):
            if takes != first ^ _sum(of_lane, lane) ^ _sum(of_warp, warp):
                raise CodegenError("lanes that take in no linear order cannot be lowered")
    parts = [low.threads.spread("lane", of_lane), low.threads.spread("warp", of_warp), str(first)]
    total = parts[0]
    for part in parts[1:]:
        if part != "0":
            total = low.writer.value(f"xor i32 {total}, {part}")
    return total


def _sum(images: Sequence[int], number: int) -> int:
    """Return the xor of the images of a number's bits."""
    total = 0
    for bit, image in enumerate(images):
        total ^= image if number >> bit & 1 else 0
    return total
