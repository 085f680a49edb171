"""The decision ledger."""

from __future__ import annotations

from weft.decisions import Decision, collecting, enabled, record

FIRST = Decision("coalesce", "tt.load", "#blocked", "neighboring lanes read neighboring bytes")
SECOND = Decision("coalesce", "tt.store", "#blocked1", "the widest access of the target")


def test_nothing_is_recorded_without_a_collector():
    assert not enabled()
    record(FIRST)
    with collecting() as decisions:
        assert enabled()
    assert decisions == []


def test_innermost_collector_gets_the_decisions_in_order():
    with collecting() as outer:
        record(FIRST)
        with collecting() as inner:
            record(SECOND)
        record(FIRST)
    assert outer == [FIRST, FIRST]
    assert inner == [SECOND]
