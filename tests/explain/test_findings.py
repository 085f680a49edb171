"""Findings: costs and messages; edits are tested in tests/explain/advice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.modules import required
from tests.explain.reports import ACCESS, CONVERSION, DOT, SHARED_ACCESS, line
from weft.explain.findings import rank_findings
from weft.explain.model import Anchor, Finding


def finding_of(*, conversion=None, access=None, shared=None, dot=None) -> Finding:
    return required(possible_finding(conversion=conversion, access=access, shared=shared, dot=dot))


def possible_finding(*, conversion=None, access=None, shared=None, dot=None) -> Finding | None:
    findings = rank_findings(
        (conversion,) if conversion else (),
        (access,) if access else (),
        (shared,) if shared else (),
        (dot,) if dot else (),
    )
    return findings[0] if findings else None


def between(above: str | None, below: str | None, **fields):
    """Return a conversion between two operations, without bank conflicts, outside of loops."""
    anchors = tuple(Anchor(op, "%x", "#a", line(1)) if op else None for op in (above, below))
    return replace(CONVERSION, anchors=anchors, **{"conflicts": 0, "loop_depth": 0, **fields})


def test_most_expensive_first():
    findings = rank_findings((CONVERSION,), (ACCESS,), (SHARED_ACCESS,), ())
    assert [(finding.about, finding.cost) for finding in findings] == [
        ("shared", 32 * 16**2),
        ("memory", 2 * 256 + 64 - 16),
        ("conversion", 512),
    ]


@pytest.mark.parametrize("plan", ["nothing", "registers", "unknown"])
def test_conversions_without_instructions(plan):
    assert possible_finding(conversion=replace(CONVERSION, plan=plan)) is None


def test_message_of_a_conversion():
    finding = finding_of(conversion=CONVERSION)
    assert finding == Finding(
        512,
        "conversion",
        CONVERSION.location,
        "64x64xf16 is converted from #blocked to #blocked1 through shared memory in a loop: "
        "tt.load and tt.store need different layouts",
        CONVERSION,
    )
    message = finding_of(conversion=between("tt.load", None, plan="shuffle")).message
    assert message.endswith("through warp shuffles: tt.load needs another layout")
    message = finding_of(conversion=between(None, None)).message
    assert message.endswith("through shared memory: a user needs another layout")


def test_message_of_an_access():
    assert finding_of(access=ACCESS) == Finding(
        560,
        "memory",
        ACCESS.location,
        "tt.load of 64x64xf16 accesses 32 bits per thread and 512 sectors, where 256 are enough; "
        "limited by the layout: 2 contiguous per thread",
        ACCESS,
    )


def test_message_of_narrow_requests_without_extra_sectors():
    message = finding_of(access=replace(ACCESS, vector_bits=64, sectors=256)).message
    assert f"accesses 64 bits per thread in {ACCESS.requests} requests; limited by " in message


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        ({"vector_bits": 128, "sectors": 256, "limit": "widest"}, None),
        ({"vector_bits": 128, "sectors": 257, "limit": "widest"}, 2),
        ({"vector_bits": 64, "sectors": 256, "limit": "widest"}, None),
        ({"vector_bits": 128, "sectors": 256}, None),
        ({"vector_bits": 64, "sectors": 256}, 32),
        ({"vector_bits": 64, "sectors": 256, "loop_depth": 2}, 32 * 16**2),
        ({"vector_bits": 64, "sectors": 240}, None),
    ],
)
def test_cost_of_an_access(fields, cost):
    finding = possible_finding(access=replace(ACCESS, **fields))
    assert (finding and finding.cost) == cost


def test_bank_conflicts():
    finding = finding_of(shared=SHARED_ACCESS)
    assert (finding.cost, finding.location) == (32 * 16**2, SHARED_ACCESS.location)
    assert finding.message == (
        "ttg.local_load of 64x64xf16 takes 96 wavefronts in #shared, 32 of them bank conflicts"
    )
    assert (finding.entry, finding.edit, finding.edits) == (SHARED_ACCESS, "", ())
    assert possible_finding(shared=replace(SHARED_ACCESS, conflicts=0)) is None


def test_a_dot_without_matrix_units():
    assert possible_finding(dot=DOT) is None
    fma = replace(DOT, tile=(1, 1, 1), per_warp=640, loop_depth=1, why="no instruction fits")
    finding = finding_of(dot=fma)
    assert finding.cost == 20 * 16
    assert finding.message == (
        "tt.dot of 64x64x32xf16 is computed with FMA, without matrix units: no instruction fits"
    )
    assert finding.entry == fma
    assert finding_of(dot=replace(fma, per_warp=8, loop_depth=0)).cost == 1
