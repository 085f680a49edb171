"""What a layout costs: conflicts of banks, sectors of global memory, the way to another layout."""

from __future__ import annotations

from collections.abc import Iterator

from weft.cli.layout.reading import Named
from weft.cli.layout.tensor_type import TensorType
from weft.errors import LayoutError
from weft.layouts import (
    Conversion,
    LinearLayout,
    Use,
    best_padding,
    best_swizzle,
    conversion,
)
from weft.layouts.bank_conflicts import BankReport, Collision, bank_report
from weft.layouts.coalescing import coalescing
from weft.layouts.drawing.element_tables import is_distributed, is_shared
from weft.layouts.shared_memory import SharedMemory

_MOST_COLLISIONS = 4


def banks(one: Named, other: Named, type_: TensorType | None, target: str | None) -> str:
    """Return what moving a tensor between registers and shared memory takes.

    Args: one, other: the layout of the registers and that of the memory, in either order.
    Raises: LayoutError: there is no type with an element, no chip, or not one layout of each kind.
    """
    type_ = _with_element(type_, "--banks")
    if target is None:
        raise LayoutError("--banks needs a chip", accepted=["--target cuda:90, hip:gfx942, …"])
    memory = memory_of(target)
    registers, shared = sides(one, other, type_)
    return "\n".join(_bank_lines(registers, shared, type_, memory)) + "\n"


def sides(one: Named, other: Named, type_: TensorType | None) -> tuple[Named, Named]:
    """Return the layout of registers and that of shared memory.

    Raises: LayoutError where there is not one of each.
    """
    registers, shared = sorted((one, other), key=lambda named: is_shared(named.linear(type_)))
    if not is_distributed(registers.linear(type_)) or not is_shared(shared.linear(type_)):
        raise LayoutError(
            "--banks needs a layout of registers and one of shared memory",
            found=f"{one.text} and {other.text}",
        )
    return registers, shared


def _bank_lines(
    registers: Named, shared: Named, type_: TensorType, memory: SharedMemory
) -> Iterator[str]:
    yield f"{registers.text}"
    yield f"through {shared.text}"
    yield f"of {type_} on {memory.name}: {memory.banks} banks of {memory.bank_bytes} bytes"
    layout = registers.linear(type_)
    place = shared.encoding or shared.linear(type_)
    for kind in ("write", "read"):
        found = bank_report(layout, place, type_.shape, type_.bits, memory, kind)
        yield f"{kind + ':':7}{_summary(found)}"
        if found.assumed:
            yield f"       phases {found.source}"
        yield from _collisions(found.collisions)


def _summary(found: BankReport) -> str:
    count = "1 access" if found.accesses == 1 else f"{found.accesses} accesses"
    if not found.conflicts:
        return f"{count} of {found.bits} bits, {found.wavefronts} passes, no conflicts"
    return (
        f"{count} of {found.bits} bits, {found.wavefronts} passes where {found.ideal} would do; "
        f"the worst access takes {found.worst} for {found.phases}"
    )


def _collisions(found: tuple[Collision, ...]) -> Iterator[str]:
    for each in found[:_MOST_COLLISIONS]:
        lanes = " | ".join(" ".join(map(str, word)) for word in each.lanes)
        yield f"       phase {each.phase}, bank {each.bank}: lanes {lanes}"
    if len(found) > _MOST_COLLISIONS:
        yield f"       and {len(found) - _MOST_COLLISIONS} banks more"


def global_memory(named: Named, type_: TensorType | None, target: str | None) -> str:
    """Return what reading or writing a row-major tensor in global memory touches.

    Raises: LayoutError: there is no type with an element, or the layout is not of registers, or
    of other warps than the chip's.
    """
    type_ = _with_element(type_, "--coalescing")
    layout = named.linear(type_)
    if not is_distributed(layout):
        raise LayoutError("--coalescing needs a layout of registers", found=named.text)
    on = "" if target is None else f" on {_warps_checked(layout, target)}"
    found = coalescing(layout, type_.shape, type_.bits)
    return (
        f"{named.text}\nof {type_} in global memory, row-major{on}\n"
        f"vector:   {found.vector_bits} bits, limited by {found.limited_by}\n"
        f"requests: {found.requests}\n"
        f"sectors:  {found.sectors} of 32 bytes where {found.ideal_sectors} would do, "
        f"{found.efficiency:.0%} of the bytes are wanted\n"
        f"lines:    {found.lines} of 128 bytes\n"
    )


def _warps_checked(layout: LinearLayout, name: str) -> str:
    """Return a chip's name, whose warps the layout must be of."""
    from weft.targets import target

    chip = target(name)
    if layout.in_dims.get("lane", 1) != chip.threads_per_warp:
        raise LayoutError(
            f"a warp of {chip} has {chip.threads_per_warp} lanes",
            found=layout.in_dims.get("lane", 1),
        )
    return str(chip)


def _with_element(type_: TensorType | None, option: str) -> TensorType:
    if type_ is None or not type_.bits:
        raise LayoutError(
            f"{option} needs the tensor's type with its element",
            found=str(type_) if type_ else None,
            accepted=["-t 'tensor<16x16xf16>'"],
        )
    return type_


def memory_of(name: str) -> SharedMemory:
    """Return the shared memory of a target, which is spelled as in the other verbs.

    Raises: UnknownTargetError; LayoutError where it has no shared memory.
    """
    from weft.targets import target

    return target(name).shared_memory


def conversion_plan(
    before: Named, after: Named, type_: TensorType | None, target: str | None
) -> str:
    """Return how a tensor moves from one layout of registers to another, and what that takes.

    Raises: LayoutError: there is no type with an element, no chip, or the layouts do not fit.
    """
    import dataclasses

    from weft.layouts.drawing import conversion_steps

    if target is None:
        raise LayoutError("--to needs a chip", accepted=["--target cuda:90, hip:gfx942, …"])
    found = planned(before, after, type_, target)
    way = f"of {type_} on {memory_of(target).name}: {_WAYS[found.kind]}"
    lines = [
        before.text,
        f"to {after.text}",
        way,
        *(f"       {step}" for step in conversion_steps(found)),
    ]
    for field in dataclasses.fields(found.cost):
        if count := getattr(found.cost, field.name):
            lines.append(f"{field.name.replace('_', ' ') + ':':17}{count}")
    return "\n".join(lines) + "\n"


def planned(before: Named, after: Named, type_: TensorType | None, target: str) -> Conversion:
    """Return the plan of a conversion; raises as `conversion_plan` does."""
    type_ = _with_element(type_, "--to")
    return conversion(*registers_of(before, after, type_), type_.bits, memory_of(target))


def best(
    kind: str, before: Named, after: Named, type_: TensorType | None, target: str | None
) -> str:
    """Return the swizzle or padding with the fewest passes, and what each side pays.

    Args: before: writes the tile, after: reads it.
    Raises: LayoutError: there is no type with an element, no chip, or a tile that is not searched.
    """
    type_ = _with_element(type_, "--best")
    if target is None:
        raise LayoutError("--best needs a chip", accepted=["--target cuda:90, hip:gfx942, …"])
    memory = memory_of(target)
    pair = registers_of(before, after, type_, "--best")
    uses = Use(pair[0], "write"), Use(pair[1], "read")
    search = best_swizzle if kind == "swizzle" else best_padding
    found = search(uses, type_.shape, type_.bits, memory)
    proof = "no access conflicts" if found.is_ideal else "the fewest passes of them all"
    lines = [f"{found.encoding}", f"of {type_} on {memory.name}: {found.tried} tried, {proof}"]
    lines += [f"{report.kind + ':':7}{_summary(report)}" for report in found.reports]
    return "\n".join(lines) + "\n"


_WAYS = {
    "nothing": "nothing moves",
    "registers": "registers of a thread change places",
    "shuffle": "lanes of a warp exchange registers",
    "shared": "through shared memory",
    "cluster": "through the shared memory of the cluster",
}


def registers_of(
    before: Named, after: Named, type_: TensorType | None, option: str = "--to"
) -> tuple[LinearLayout, LinearLayout]:
    """Return the two layouts of a conversion, which `option` asked for.

    Raises: LayoutError: one is not of registers.
    """
    pair = before.linear(type_), after.linear(type_)
    for named, layout in zip((before, after), pair, strict=True):
        if not is_distributed(layout):
            raise LayoutError(f"{option} needs two layouts of registers", found=named.text)
    return pair
