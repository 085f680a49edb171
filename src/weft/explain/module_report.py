"""Build the report of a module with layouts, from its IR and the decisions of its passes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from weft.decisions import Decision
from weft.errors import LayoutError
from weft.explain.anchors import (
    find_anchor_above,
    find_anchor_below,
    is_anchor,
    is_layout_free,
)
from weft.explain.card_model import Card
from weft.explain.conversions import find_conversions
from weft.explain.dots import find_dots
from weft.explain.findings import rank_findings
from weft.explain.global_memory import find_accesses
from weft.explain.inventory import launch_attributes
from weft.explain.labels import Labels, shape_text
from weft.explain.layout_history import LayoutHistory, values_with_layouts
from weft.explain.loops import find_loops
from weft.explain.model import READ_BACK, RECORDED, Anchor, Change, Finding, Report, Value
from weft.explain.scratch_accesses import find_scratch_accesses
from weft.explain.shared_memory import find_shared_accesses
from weft.explain.shared_memory_limit import SharedMemoryNeed, check_kernel, check_loops
from weft.layouts import Encoding
from weft.layouts.shared_memory import SharedMemory
from weft.targets import target

__all__ = ["build_report"]


def build_report(
    module: ModuleOp,
    history: LayoutHistory | None = None,
    decisions: Sequence[Decision] = (),
    need: SharedMemoryNeed | None = None,
    card: Card | None = None,
) -> Report:
    """Build the report of a module with layouts.

    Args:
        module: The module.
        history: The layouts of its values, pass by pass; None to derive reasons from the IR.
        decisions: The decisions that its passes recorded.
        need: The shared memory that the kernel needs, if it is known.
        card: The card, if the module is final.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    launch = launch_attributes(module)
    labels = Labels(module)
    changes = _changes(module, labels, history)
    shared_memory = _shared_memory(launch.target)
    num_warps = launch.num_warps
    conversions = tuple(find_conversions(module, labels, shared_memory, num_warps, changes))
    accesses = tuple(find_accesses(module, labels))
    shared_accesses = tuple(find_shared_accesses(module, labels, shared_memory))
    dots = tuple(find_dots(module, labels, num_warps, changes, decisions))
    loops = find_loops(decisions)
    findings: tuple[Finding, ...] = ()
    if need is not None:
        loops = check_loops(loops, need)
        finding = check_kernel(loops, need)
        findings = () if finding is None else (finding,)
    return Report(
        kernel=launch.kernel,
        target=launch.target,
        num_warps=num_warps,
        lanes=launch.lanes,
        ledger=READ_BACK if history is None else RECORDED,
        layouts=_layouts(module, labels),
        values=tuple(
            _value(value, encoding, labels, changes[value])
            for value, encoding in values_with_layouts(module)
        ),
        conversions=conversions,
        memory=accesses,
        shared=shared_accesses,
        dots=dots,
        findings=findings + rank_findings(conversions, accesses, shared_accesses, dots),
        loops=loops,
        card=card,
        scratch=() if shared_memory is None else tuple(find_scratch_accesses(module, labels)),
    )


def _value(
    value: SSAValue, encoding: Encoding, labels: Labels, history: tuple[Change, ...]
) -> Value:
    return Value(
        name=labels.value(value),
        op=labels.defining_op(value),
        type=shape_text(value.type),
        layout=labels.layout_names(encoding),
        encoding=str(encoding),
        location=labels.line(value),
        history=history,
    )


def _changes(
    module: ModuleOp, labels: Labels, history: LayoutHistory | None
) -> dict[SSAValue, tuple[Change, ...]]:
    if history is not None:
        return {value: history.of(value) for value, _ in values_with_layouts(module)}
    return {
        value: (Change("the IR", str(encoding), _reason_from_ir(value, labels)),)
        for value, encoding in values_with_layouts(module)
    }


def _reason_from_ir(value: SSAValue, labels: Labels) -> str:
    """Derive the reason for a layout from the anchors around the value."""
    owner = value.owner
    if isinstance(owner, Operation):
        if owner.name == "ttg.convert_layout":
            below = find_anchor_below(value, labels)
            return f"converted for {_anchor_text(below)}" if below else "converted, for no anchor"
        if is_anchor(owner):
            return f"{owner.name} determines this layout"
    above = find_anchor_above(value, labels)
    if above is not None and not is_layout_free(above.op):
        return f"follows {_anchor_text(above)}"
    # A constant or a range above has this layout because a user below needs it.
    below = find_anchor_below(value, labels)
    if below is not None:
        return f"computed in this layout for {_anchor_text(below)}"
    return f"follows {_anchor_text(above)}" if above else "no operation in the IR needs this layout"


def _anchor_text(anchor: Anchor) -> str:
    line = "" if anchor.location is None else f" at line {anchor.location.line}"
    return f"{anchor.op} {anchor.value}{line}"


def _layouts(module: ModuleOp, labels: Labels) -> tuple[tuple[str, str], ...]:
    encodings = dict.fromkeys(encoding for _, encoding in values_with_layouts(module))
    return tuple((labels.layout_names(encoding), str(encoding)) for encoding in encodings)


def _shared_memory(target_name: str) -> SharedMemory | None:
    try:
        return target(target_name).shared_memory
    except LayoutError:
        return None  # the target has no rows on shared memory
