"""Print the optimum of the layouts of a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from weft.explain.optimum_model import COST_UNIT, LayoutDifference, LayoutOptimum

__all__ = ["OPTIMUM_TITLE", "optimum_lines"]

_SHOWN = 12


OPTIMUM_TITLE = f"Optimum of the layouts ({COST_UNIT}; loops by trip counts, else 16)"
"""The headline, with the unit of the costs."""

_KEPT = {
    "heuristic": "the heuristics' layouts",
    "refined": 'those of layouts="refined"',
    "optimal": "those of the optimum",
}
"""What `layouts="optimal"` keeps, in words."""


def optimum_lines(optimum: LayoutOptimum) -> Iterator[str]:
    """Yield the lines about an optimum."""
    if optimum.triton is not None:
        yield f"Triton's heuristics: {optimum.triton}"
    yield f"this kernel: {optimum.weft}"
    if optimum.refined is not None and optimum.refined != optimum.weft:
        yield f'with layouts="refined": {optimum.refined}'
    if optimum.is_proved:
        yield f"optimum: {optimum.cost}, proved; the gap is {optimum.gap:.1%}"
    else:
        yield (
            f"best found: {optimum.cost}, at least {optimum.bound}; the gap is between "
            f"{optimum.gap:.1%} and {optimum.largest_gap:.1%}"
        )
    if optimum.kept is not None:
        choice, reason = optimum.kept.choice, optimum.kept.reason
        yield f'layouts="optimal" keeps {_KEPT[choice]}: {reason}'
    priced = [each for each in optimum.differences if each.saving]
    for each in priced[:_SHOWN]:
        yield _difference(each)
    if len(priced) > _SHOWN:
        yield f"and {len(priced) - _SHOWN} with smaller differences (--json lists them)"
    free = len(optimum.differences) - len(priced)
    if free:
        yield f"{free} more have other layouts at the same cost"
    for name, text in optimum.layouts:
        yield f"{name}  {text}"


def _difference(each: LayoutDifference) -> str:
    line = "" if each.location is None else f"line {each.location.line}: "
    name = f"{each.op} {each.value}".strip()
    before, after = (", ".join(names) or "not computed" for names in (each.before, each.after))
    return f"{line}{name} {each.type}  {before} → {after}  {each.cost_before} → {each.cost_after}"
