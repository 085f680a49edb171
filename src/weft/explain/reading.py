"""Make a report of a module and of what its passes recorded."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from weft.decisions import Decision
from weft.errors import LayoutError
from weft.explain.anchors import anchor_ahead, anchor_behind, cares
from weft.explain.conversions import conversions
from weft.explain.dots import dots
from weft.explain.findings import findings
from weft.explain.history import History, tensors
from weft.explain.inventory import launch_of
from weft.explain.memory import accesses
from weft.explain.model import READ_BACK, RECORDED, Anchor, Change, Report, Value
from weft.explain.places import Places
from weft.explain.shared import shared_accesses
from weft.layouts import Encoding
from weft.layouts.shared_memory import SharedMemory
from weft.targets import target

__all__ = ["report"]


def report(
    module: ModuleOp, history: History | None = None, decisions: Sequence[Decision] = ()
) -> Report:
    """Return what there is to say of a module with layouts.

    Args: history: of its values through weft's passes; without one, reasons are read off the IR.
    Raises: UnknownTargetError: the module is for a chip that weft does not know.
    """
    launch = launch_of(module)
    places = Places(module)
    changes = _changes(module, places, history)
    memory = _memory_of(launch["target"])
    warps = launch["num_warps"]
    moved = tuple(conversions(module, places, memory, warps, changes))
    read = tuple(accesses(module, places))
    shared = tuple(shared_accesses(module, places, memory))
    products = tuple(dots(module, places, warps, changes, decisions))
    return Report(
        **launch,
        ledger=READ_BACK if history is None else RECORDED,
        layouts=_layouts(module, places),
        values=tuple(
            Value(
                name=places.value(value),
                op=places.maker(value),
                type=places.type(value.type),
                layout=places.layout_names(encoding),
                encoding=str(encoding),
                location=places.line(value),
                history=changes[value],
            )
            for value, encoding in tensors(module)
        ),
        conversions=moved,
        memory=read,
        shared=shared,
        dots=products,
        findings=findings(moved, read, shared, products),
    )


def _changes(
    module: ModuleOp, places: Places, history: History | None
) -> dict[SSAValue, tuple[Change, ...]]:
    if history is not None:
        return {value: history.of(value) for value, _ in tensors(module)}
    return {
        value: (Change("the IR", str(encoding), _read_back(value, places)),)
        for value, encoding in tensors(module)
    }


def _read_back(value: SSAValue, places: Places) -> str:
    """Return what the IR itself tells of the reason for a layout: the anchor next to it."""
    owner = value.owner
    name = getattr(owner, "name", "")
    if name == "ttg.convert_layout":
        ahead = anchor_ahead(value, places)
        return f"converted for {_told(ahead)}" if ahead else "converted, and nobody asks for it"
    if name and cares(owner):  # type: ignore[arg-type]
        return f"{name} has it, and what is around follows"
    behind = anchor_behind(value, places)
    if behind is not None and behind.op not in ("arith.constant", "tt.make_range", "tt.splat"):
        return f"follows {_told(behind)}"
    ahead = anchor_ahead(value, places)
    if ahead is not None:
        return f"computed in it for {_told(ahead)}"
    return f"follows {_told(behind)}" if behind else "nothing in the IR asks for it"


def _told(anchor: Anchor) -> str:
    where = "" if anchor.location is None else f" at line {anchor.location.line}"
    return f"{anchor.op} {anchor.value}{where}"


def _layouts(module: ModuleOp, places: Places) -> tuple[tuple[str, str], ...]:
    found: dict[Encoding, str] = {}
    for _, encoding in tensors(module):
        found.setdefault(encoding, places.layout_names(encoding))
    return tuple((name, str(encoding)) for encoding, name in found.items())


def _memory_of(name: str) -> SharedMemory | None:
    try:
        return target(name).shared_memory
    except LayoutError:
        return None  # a chip without shared memory
