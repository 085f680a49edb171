"""The cost of a layout: bank conflicts, sectors of global memory, conversions."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from weft.cli.layout.reading import Named
from weft.cli.layout.tensor_type import TensorType
from weft.errors import LayoutError
from weft.layouts import (
    Conversion,
    LinearLayout,
    PaddedSharedEncoding,
    Use,
    best_padding,
    best_swizzle,
    conversion,
)
from weft.layouts.bank_conflicts import BankReport, Collision
from weft.layouts.coalescing import coalescing
from weft.layouts.drawing.element_tables import is_distributed, is_shared
from weft.layouts.shared_memory import SharedMemory

_MAX_COLLISIONS = 4


def banks(one: Named, other: Named, type_: TensorType | None, target: str | None) -> str:
    """Describe the bank conflicts of moving a tensor between registers and shared memory.

    Args:
        one: The layout of the registers, or of shared memory.
        other: The other one.
        type_: The tensor's type.
        target: The target.

    Raises:
        LayoutError: No element type, no target, or not one layout of each kind.
    """
    type_ = _require_element(type_, "--banks")
    if target is None:
        raise LayoutError("--banks needs a target", accepted=["--target cuda:90, hip:gfx942, …"])
    registers, shared = sides(one, other, type_)
    return "\n".join(_bank_lines(registers, shared, type_, target)) + "\n"


def sides(one: Named, other: Named, type_: TensorType | None) -> tuple[Named, Named]:
    """Order two layouts: that of registers, and that of shared memory.

    Raises:
        LayoutError: There is not one of each.
    """
    registers, shared = sorted((one, other), key=lambda named: is_shared(named.linear(type_)))
    if not is_distributed(registers.linear(type_)) or not is_shared(shared.linear(type_)):
        raise LayoutError(
            "--banks needs a layout of registers and one of shared memory",
            found=f"{one.text} and {other.text}",
        )
    return registers, shared


def _bank_lines(registers: Named, shared: Named, type_: TensorType, target: str) -> Iterator[str]:
    from weft.explain.planned_banks import planned_banks
    from weft.targets import target as target_of

    memory = memory_of(target)
    yield f"{registers.text}"
    yield f"through {shared.text}"
    yield f"of {type_} on {memory.name}: {memory.banks} banks of {memory.bank_bytes} bytes"
    padding = shared.encoding if isinstance(shared.encoding, PaddedSharedEncoding) else None
    layouts = registers.linear(type_), shared.linear(type_)
    for kind in ("write", "read"):
        report, instruction = planned_banks(*layouts, type_.bits, target_of(target), kind, padding)
        yield f"{kind + ':':7}{_summary(report, instruction)}"
        if report.assumed:
            yield f"       phases {report.source}"
        yield from _collisions(report.collisions)


def _summary(report: BankReport, instruction: str = "") -> str:
    count = "1 access" if report.accesses == 1 else f"{report.accesses} accesses"
    width = f"{report.bits} bits" + (f" by {instruction}" if instruction else "")
    if not report.conflicts:
        return f"{count} of {width}, {report.wavefronts} passes, no conflicts"
    return (
        f"{count} of {width}, {report.wavefronts} passes where {report.ideal} would do; "
        f"the worst access takes {report.worst} for {report.phases}"
    )


def _collisions(collisions: tuple[Collision, ...]) -> Iterator[str]:
    for each in collisions[:_MAX_COLLISIONS]:
        lanes = " | ".join(" ".join(map(str, word)) for word in each.lanes)
        yield f"       phase {each.phase}, bank {each.bank}: lanes {lanes}"
    if len(collisions) > _MAX_COLLISIONS:
        yield f"       and {len(collisions) - _MAX_COLLISIONS} banks more"


def global_memory(named: Named, type_: TensorType | None, target: str | None) -> str:
    """Describe the sectors that an access to a row-major tensor in global memory touches.

    Raises:
        LayoutError: No element type, a layout that is not of registers, or one for another warp
            size than the target's.
    """
    type_ = _require_element(type_, "--coalescing")
    layout = named.linear(type_)
    if not is_distributed(layout):
        raise LayoutError("--coalescing needs a layout of registers", found=named.text)
    on = "" if target is None else f" on {_check_warp_size(layout, target)}"
    report = coalescing(layout, type_.shape, type_.bits)
    return (
        f"{named.text}\nof {type_} in global memory, row-major{on}\n"
        f"vector:   {report.vector_bits} bits, limited by {report.limited_by}\n"
        f"requests: {report.requests}\n"
        f"sectors:  {report.sectors} of 32 bytes where {report.ideal_sectors} would do, "
        f"{report.efficiency:.0%} of the bytes are wanted\n"
        f"lines:    {report.lines} of 128 bytes\n"
    )


def _check_warp_size(layout: LinearLayout, name: str) -> str:
    """Check a layout against the warp size of a target; return the target's name."""
    from weft.targets import target

    chip = target(name)
    if layout.in_dims.get("lane", 1) != chip.threads_per_warp:
        raise LayoutError(
            f"a warp of {chip} has {chip.threads_per_warp} lanes",
            found=layout.in_dims.get("lane", 1),
        )
    return str(chip)


def _require_element(type_: TensorType | None, option: str) -> TensorType:
    if type_ is None or not type_.bits:
        raise LayoutError(
            f"{option} needs a tensor type with an element type",
            found=str(type_) if type_ else None,
            accepted=["-t 'tensor<16x16xf16>'"],
        )
    return type_


def memory_of(name: str) -> SharedMemory:
    """Get the shared memory of a target.

    Raises:
        UnknownTargetError: There is no such target.
        LayoutError: It has no shared memory.
    """
    from weft.targets import target

    return target(name).shared_memory


def conversion_plan(
    before: Named, after: Named, type_: TensorType | None, target: str | None
) -> str:
    """Describe the conversion from one layout of registers to another, and its cost.

    Raises:
        LayoutError: No element type, no target, or layouts that do not fit together.
    """
    from weft.layouts.drawing import conversion_steps

    if target is None:
        raise LayoutError("--to needs a target", accepted=["--target cuda:90, hip:gfx942, …"])
    plan = plan_conversion(before, after, type_, target)
    summary = f"of {type_} on {memory_of(target).name}: {_KINDS[plan.kind]}"
    lines = [
        before.text,
        f"to {after.text}",
        summary,
        *(f"       {step}" for step in conversion_steps(plan)),
    ]
    for name, count in structs.asdict(plan.cost).items():
        if count:
            lines.append(f"{name.replace('_', ' ') + ':':17}{count}")
    return "\n".join(lines) + "\n"


def plan_conversion(
    before: Named, after: Named, type_: TensorType | None, target: str
) -> Conversion:
    """Plan a conversion; errors as of `conversion_plan`."""
    type_ = _require_element(type_, "--to")
    return conversion(*registers_of(before, after, type_), type_.bits, memory_of(target))


def best(
    kind: str, before: Named, after: Named, type_: TensorType | None, target: str | None
) -> str:
    """Search the swizzle or padding with the fewest passes, and describe its cost.

    Args:
        kind: "swizzle" or "padding".
        before: The layout that writes the tile.
        after: The layout that reads it.
        type_: The tensor's type.
        target: The target.

    Raises:
        LayoutError: No element type, no target, or a tile that cannot be searched.
    """
    type_ = _require_element(type_, "--best")
    if target is None:
        raise LayoutError("--best needs a target", accepted=["--target cuda:90, hip:gfx942, …"])
    memory = memory_of(target)
    pair = registers_of(before, after, type_, "--best")
    uses = Use(pair[0], "write"), Use(pair[1], "read")
    search = best_swizzle if kind == "swizzle" else best_padding
    best_layout = search(uses, type_.shape, type_.bits, memory)
    proof = "no access conflicts" if best_layout.is_ideal else "the fewest passes of all"
    lines = [
        f"{best_layout.encoding}",
        f"of {type_} on {memory.name}: {best_layout.tried} tried, {proof}",
    ]
    lines += [f"{report.kind + ':':7}{_summary(report)}" for report in best_layout.reports]
    return "\n".join(lines) + "\n"


_KINDS = {
    "nothing": "nothing moves",
    "registers": "registers of a thread are permuted",
    "shuffle": "lanes of a warp exchange registers",
    "shared": "through shared memory",
    "cluster": "through the shared memory of the cluster",
}


def registers_of(
    before: Named, after: Named, type_: TensorType | None, option: str = "--to"
) -> tuple[LinearLayout, LinearLayout]:
    """Get the linear layouts of a conversion.

    Raises:
        LayoutError: One is not of registers; names the option.
    """
    pair = before.linear(type_), after.linear(type_)
    for named, layout in zip((before, after), pair, strict=True):
        if not is_distributed(layout):
            raise LayoutError(f"{option} needs two layouts of registers", found=named.text)
    return pair
