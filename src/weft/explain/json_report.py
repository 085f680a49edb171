"""Print a report as JSON; docs/guides/explain.schema.json is its schema.

Keys are the fields of the model, with `file` and `line` for a location and `bytes` for the size of
a tensor. All keys are always there; unknown values are null.
"""

from __future__ import annotations

import json

from weft.decisions import Decision
from weft.errors import Location
from weft.explain.block_time import BlockTime
from weft.explain.card_model import Card, Occupancy
from weft.explain.model import (
    Access,
    Anchor,
    Change,
    Conversion,
    Dot,
    Finding,
    Loop,
    Report,
    SharedAccess,
    TriedEdit,
    Value,
)
from weft.explain.optimum_model import COST_UNIT, KeptLayouts, LayoutOptimum

__all__ = ["as_json", "as_object"]

FORMAT = 1  # incremented if a key is removed or changes its meaning

_Object = dict[str, object]


def as_json(report: Report) -> str:
    """Format a report as JSON text."""
    return json.dumps(as_object(report), indent=1, ensure_ascii=False) + "\n"


def as_object(report: Report) -> _Object:
    """Convert a report to dictionaries, lists, numbers and strings."""
    return {
        "format": FORMAT,
        **_fields(report, "kernel", "target", "num_warps", "lanes", "ledger"),
        "layouts": dict(report.layouts),
        "values": [_value(value) for value in report.values],
        "conversions": [_conversion(conversion) for conversion in report.conversions],
        "memory": [_access(access) for access in report.memory],
        "shared": [_shared_access(access) for access in report.shared],
        "scratch": [_shared_access(access) for access in report.scratch],
        "dots": [_dot(dot) for dot in report.dots],
        "findings": [_finding(finding) for finding in report.findings],
        "loops": [_loop(loop) for loop in report.loops],
        "card": None if report.card is None else _card(report.card),
        "optimum": None if report.optimum is None else _optimum(report.optimum),
    }


def _fields(entry: object, *names: str) -> _Object:
    return {name: getattr(entry, name) for name in names}


def _line(location: Location | None) -> _Object:
    if location is None:
        return {"file": None, "line": None}
    return {"file": location.file, "line": location.line}


def _value(value: Value) -> _Object:
    return {
        **_fields(value, "name", "op", "type", "layout", "encoding", "reason"),
        **_line(value.location),
        "history": [_change(change) for change in value.history],
    }


def _change(change: Change) -> _Object:
    return {**_fields(change, "stage", "layout", "why"), **_decision(change.decision)}


def _decision(decision: Decision | None) -> _Object:
    if decision is None:
        return {"chose": None, "over": [], "facts": [], "anchor": None, "costs": []}
    return {
        "chose": decision.choice,
        "over": [_fields(candidate, "choice", "score") for candidate in decision.candidates],
        "facts": _pairs(decision.facts, "name", "value"),
        "anchor": decision.anchor or None,
        "costs": [
            {**_fields(cost, "side", "total"), "terms": _pairs(cost.terms, "what", "cost")}
            for cost in decision.costs
        ],
    }


def _pairs(pairs: tuple[tuple[str, object], ...], first_key: str, second_key: str) -> list[_Object]:
    return [{first_key: first, second_key: second} for first, second in pairs]


def _conversion(conversion: Conversion) -> _Object:
    return {
        **_fields(conversion, "value", "type", "before", "after"),
        **_line(conversion.location),
        "bytes": conversion.size_bytes,
        **_fields(conversion, "loop_depth", "plan"),
        "instructions": dict(conversion.instructions),
        **_fields(conversion, "barriers", "shared_bytes", "passes", "conflicts", "cost"),
        "anchors": [_anchor(anchor) for anchor in conversion.anchors],
        "removal": list(conversion.removal),
    }


def _anchor(anchor: Anchor | None) -> _Object | None:
    if anchor is None:
        return None
    return {**_fields(anchor, "op", "value", "layout"), **_line(anchor.location)}


def _access(access: Access) -> _Object:
    return {
        **_fields(access, "op", "value", "type", "layout"),
        **_line(access.location),
        **_fields(access, "loop_depth", "vector_bits", "limit", "limited_by", "requests"),
        **_fields(access, "sectors", "ideal_sectors", "sectors_per_request"),
    }


def _shared_access(access: SharedAccess) -> _Object:
    return {
        **_fields(access, "op", "type", "kind", "layout", "memory"),
        **_line(access.location),
        **_fields(access, "loop_depth", "bits", "accesses", "wavefronts", "conflicts"),
    }


def _dot(dot: Dot) -> _Object:
    return {
        **_fields(dot, "op", "value", "type"),
        **_line(dot.location),
        **_fields(dot, "loop_depth", "instruction"),
        "tile": list(dot.tile),
        "per_warp": dot.per_warp,
        "warps": list(dot.warps),
        "why": dot.why,
        "rejected": _pairs(dot.rejected, "choice", "score"),
        "facts": _pairs(dot.facts, "name", "value"),
    }


def _loop(loop: Loop) -> _Object:
    return {
        **_line(loop.location),
        **_fields(loop, "stages", "limit", "why"),
        "operations": [
            {**_fields(op, "op", "value"), **_line(op.location), **_fields(op, "stage", "cluster")}
            for op in loop.operations
        ],
        "loads": [
            {
                **_fields(load, "op", "value", "type"),
                **_line(load.location),
                **_fields(load, "method", "limit", "why", "distance", "buffers", "shared_bytes"),
            }
            for load in loop.loads
        ],
    }


def _card(card: Card) -> _Object:
    return {
        **_fields(card, "registers", "spill_bytes", "shared_bytes"),
        "occupancy": None if card.occupancy is None else _occupancy(card.occupancy),
        **_fields(card, "loaded_bytes", "stored_bytes", "requested_bytes"),
        **_fields(card, "wavefronts", "conflicts"),
        "operations": dict(card.operations),
        "intensity": card.intensity,
        "block_time": None if card.block_time is None else _block_time(card.block_time),
        "block_time_unknown": card.block_time_unknown,
        "rooflines": [
            _fields(each, "board", "balance", "limit", "share", "assumed")
            for each in card.rooflines
        ],
    }


def _block_time(time: BlockTime) -> _Object:
    return {**_fields(time, "from_l2", "from_memory"), "units": dict(time.units)}


def _optimum(optimum: LayoutOptimum) -> _Object:
    return {
        "unit": COST_UNIT,
        **_fields(optimum, "triton", "weft", "refined", "cost", "bound", "is_proved"),
        **_fields(optimum, "gap", "largest_gap"),
        "kept": None if optimum.kept is None else _kept(optimum.kept),
        "layouts": dict(optimum.layouts),
        "differences": [
            {
                **_fields(each, "op", "value", "type"),
                "shape": list(each.shape),
                "element_bits": each.element_bits,
                **_line(each.location),
                "before": list(each.before),
                "after": list(each.after),
                **_fields(each, "cost_before", "cost_after"),
            }
            for each in optimum.differences
        ],
    }


def _kept(kept: KeptLayouts) -> _Object:
    return {**_fields(kept, "choice", "reason"), "facts": dict(kept.facts)}


def _occupancy(occupancy: Occupancy) -> _Object:
    return {
        **_fields(occupancy, "blocks", "warps", "max_warps", "unit"),
        "limits": dict(occupancy.limits),
        "limited_by": list(occupancy.limited_by),
    }


def _finding(finding: Finding) -> _Object:
    return {
        **_fields(finding, "cost", "about"),
        **_line(finding.location),
        **_fields(finding, "message", "edit", "trials", "helped"),
        "edits": [_edit(edit) for edit in finding.edits],
    }


def _edit(edit: TriedEdit) -> _Object:
    return {
        **_fields(edit, "kind", "text", "before", "after"),
        "changes": [_fields(change, "name", "before", "after") for change in edit.changes],
    }
