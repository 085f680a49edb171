"""The ledger of decisions."""

from __future__ import annotations

from weft.decisions import Decision, collecting, enabled, record

FIRST = Decision("coalesce", "tt.load", "#blocked", "neighbours read neighbouring bytes")
SECOND = Decision("coalesce", "tt.store", "#blocked1", "as wide as the chip can")


def test_nothing_is_kept_unless_somebody_collects():
    assert not enabled()
    record(FIRST)
    with collecting() as decisions:
        assert enabled()
    assert decisions == []


def test_decisions_come_in_order_and_the_innermost_collects():
    with collecting() as outer:
        record(FIRST)
        with collecting() as inner:
            record(SECOND)
        record(FIRST)
    assert outer == [FIRST, FIRST]
    assert inner == [SECOND]
