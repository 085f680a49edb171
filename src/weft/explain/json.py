"""A report as JSON; docs/guides/explain.schema.json is its schema.

Keys are the fields of the model; a location is `file` and `line`, the size of a tensor `bytes`.
Everything is there, null where it is not known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from weft.decisions import Decision
from weft.errors import Location
from weft.explain.model import Access, Anchor, Change, Conversion, Dot, Report, SharedAccess, Value

__all__ = ["as_json", "as_object"]

FORMAT = 1  # raised when a key goes or changes its meaning


def as_json(report: Report) -> str:
    """Return a report as JSON text."""
    return json.dumps(as_object(report), indent=1, ensure_ascii=False) + "\n"


def as_object(report: Report) -> dict[str, Any]:
    """Return a report as dictionaries, lists, numbers and texts."""
    return {
        "format": FORMAT,
        "kernel": report.kernel,
        "target": report.target,
        "num_warps": report.num_warps,
        "lanes": report.lanes,
        "ledger": report.ledger,
        "layouts": dict(report.layouts),
        "values": [_value(value) for value in report.values],
        "conversions": [_conversion(each) for each in report.conversions],
        "memory": [_access(each) for each in report.memory],
        "shared": [_shared(each) for each in report.shared],
        "dots": [_dot(each) for each in report.dots],
        "findings": [
            {
                "cost": each.cost,
                "about": each.about,
                **_place(each.location),
                "message": each.message,
                "edit": each.edit,
            }
            for each in report.findings
        ],
    }


def _place(location: Location | None) -> dict[str, Any]:
    if location is None:
        return {"file": None, "line": None}
    return {"file": location.file, "line": location.line}


def _fields(one: object, *names: str) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}


def _value(value: Value) -> dict[str, Any]:
    return {
        **_fields(value, "name", "op", "type", "layout", "encoding", "reason"),
        **_place(value.location),
        "history": [_change(change) for change in value.history],
    }


def _change(change: Change) -> dict[str, Any]:
    return {**_fields(change, "stage", "layout", "why"), **_decision(change.decision)}


def _decision(decision: Decision | None) -> Mapping[str, Any]:
    if decision is None:
        return {"chose": None, "over": [], "facts": [], "anchor": None, "costs": []}
    return {
        "chose": decision.choice,
        "over": [{"choice": one.choice, "score": one.score} for one in decision.candidates],
        "facts": [{"name": name, "value": value} for name, value in decision.facts],
        "anchor": decision.anchor or None,
        "costs": [
            {
                "side": cost.side,
                "total": cost.total,
                "terms": [{"what": what, "cost": part} for what, part in cost.terms],
            }
            for cost in decision.costs
        ],
    }


def _conversion(one: Conversion) -> dict[str, Any]:
    return {
        **_fields(one, "value", "type", "before", "after"),
        **_place(one.location),
        "bytes": one.size_bytes,
        **_fields(one, "loop_depth", "plan"),
        "instructions": dict(one.instructions),
        **_fields(one, "barriers", "shared_bytes", "passes", "conflicts", "cost"),
        "anchors": [_anchor(anchor) for anchor in one.anchors],
        "removal": list(one.removal),
    }


def _anchor(anchor: Anchor | None) -> dict[str, Any] | None:
    if anchor is None:
        return None
    return {**_fields(anchor, "op", "value", "layout"), **_place(anchor.location)}


def _access(one: Access) -> dict[str, Any]:
    return {
        **_fields(one, "op", "value", "type", "layout"),
        **_place(one.location),
        **_fields(one, "loop_depth", "vector_bits", "limit", "limited_by", "requests", "sectors"),
        **_fields(one, "ideal_sectors", "sectors_per_request"),
    }


def _shared(one: SharedAccess) -> dict[str, Any]:
    return {
        **_fields(one, "op", "type", "kind", "layout", "memory"),
        **_place(one.location),
        **_fields(one, "loop_depth", "bits", "accesses", "wavefronts", "conflicts"),
    }


def _dot(one: Dot) -> dict[str, Any]:
    return {
        **_fields(one, "op", "value", "type"),
        **_place(one.location),
        **_fields(one, "loop_depth", "instruction"),
        "tile": list(one.tile),
        "per_warp": one.per_warp,
        "warps": list(one.warps),
        "why": one.why,
        "rejected": [{"choice": choice, "score": score} for choice, score in one.rejected],
        "facts": [{"name": name, "value": value} for name, value in one.facts],
    }
