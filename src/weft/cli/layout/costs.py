"""What a layout costs: conflicts of banks, sectors of global memory, the way to another layout."""

from __future__ import annotations

from collections.abc import Iterator

from weft.cli.layout.reading import Named
from weft.cli.layout.tensor_type import TensorType
from weft.errors import LayoutError
from weft.layouts import LinearLayout
from weft.layouts.banks import BankReport, Collision, bank_report
from weft.layouts.coalescing import coalescing
from weft.layouts.drawing.tables import is_distributed, is_shared
from weft.layouts.phases import SharedMemory

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
    pair = sorted((one, other), key=lambda named: is_shared(named.linear(type_)))
    registers, shared = pair
    if not is_distributed(registers.linear(type_)) or not is_shared(shared.linear(type_)):
        raise LayoutError(
            "--banks needs a layout of registers and one of shared memory",
            found=f"{one.text} and {other.text}",
        )
    return "\n".join(_bank_lines(registers, shared, type_, memory)) + "\n"


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


def global_memory(named: Named, type_: TensorType | None) -> str:
    """Return what reading or writing a row-major tensor in global memory touches.

    Raises: LayoutError: there is no type with an element, or the layout is not of registers.
    """
    type_ = _with_element(type_, "--coalescing")
    layout = named.linear(type_)
    if not is_distributed(layout):
        raise LayoutError("--coalescing needs a layout of registers", found=named.text)
    found = coalescing(layout, type_.shape, type_.bits)
    return (
        f"{named.text}\nof {type_} in global memory, row-major\n"
        f"vector:   {found.vector_bits} bits, limited by {found.limited_by}\n"
        f"requests: {found.requests}\n"
        f"sectors:  {found.sectors} of 32 bytes where {found.ideal_sectors} would do, "
        f"{found.efficiency:.0%} of the bytes are wanted\n"
        f"lines:    {found.lines} of 128 bytes\n"
    )


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

    from weft.layouts.plans import conversion

    type_ = _with_element(type_, "--to")
    if target is None:
        raise LayoutError("--to needs a chip", accepted=["--target cuda:90, hip:gfx942, …"])
    pair = registers_of(before, after, type_)
    memory = memory_of(target)
    found = conversion(*pair, max(type_.bits, 8), memory)
    lines = [before.text, f"to {after.text}", f"of {type_} on {memory.name}: {_WAYS[found.kind]}"]
    for field in dataclasses.fields(found.cost):
        if count := getattr(found.cost, field.name):
            lines.append(f"{field.name.replace('_', ' ') + ':':17}{count}")
    return "\n".join(lines) + "\n"


_WAYS = {
    "nothing": "nothing moves",
    "registers": "registers of a thread change places",
    "shuffle": "lanes of a warp exchange registers",
    "shared": "through shared memory",
    "cluster": "through the shared memory of the cluster",
}


def registers_of(
    before: Named, after: Named, type_: TensorType | None
) -> tuple[LinearLayout, LinearLayout]:
    """Return the two layouts of a conversion.

    Raises: LayoutError: one is not of registers.
    """
    pair = before.linear(type_), after.linear(type_)
    for named, layout in zip((before, after), pair, strict=True):
        if not is_distributed(layout):
            raise LayoutError("--to needs two layouts of registers", found=named.text)
    return pair
