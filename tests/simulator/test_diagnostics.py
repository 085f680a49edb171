"""Races and deadlocks as text and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import Location, OutOfBoundsError
from weft.simulator import DeadlockError, RaceError
from weft.simulator.diagnostics import History, Wait
from weft.simulator.llvm_ir.parser import Instruction

STORE = Instruction("", "store", "i32 %i, ptr addrspace(3) %own, align 4", Location("k.py", 3, 5))
LOAD = Instruction("%x", "load", "i32, ptr addrspace(3) %next", Location("k.py", 4, 9))
ASSEMBLY = '"@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %t, ptr addrspace(3) %b)'
INIT = Instruction("", "call", f"void asm sideeffect {ASSEMBLY}", Location("k.py", 2, 1))


def test_a_race_names_both_source_lines():
    error = RaceError("a race", LOAD, STORE)
    assert error.location == LOAD.location
    assert error.found == (
        "k.py:4:9 (%x = load i32, ptr addrspace(3) %next),"
        " after k.py:3:5 (store i32 %i, ptr addrspace(3) %own, align 4)"
    )
    report = json.loads(error.to_json())
    assert report["error"] == "race"
    assert report["message"] == "a race"
    assert report["accesses"] == [
        {"location": {"file": "k.py", "line": 4, "column": 9}, "instruction": LOAD.text},
        {"location": {"file": "k.py", "line": 3, "column": 5}, "instruction": STORE.text},
    ]


def test_a_race_with_an_unknown_access():
    error = RaceError("a race", LOAD)
    assert error.found == "k.py:4:9 (%x = load i32, ptr addrspace(3) %next)"
    assert len(json.loads(error.to_json())["accesses"]) == 1
    assert RaceError("a race", None).found is None


def test_instructions_without_locations_are_named_whole():
    first, second = (Instruction("", "store", f"i32 %{n}, {'x' * 90}") for n in "ab")
    assert RaceError("a race", second, first).found == f"{second.text}, after {first.text}"


def test_long_instructions_are_shortened():
    call = Instruction("%m", "call", f"float @llvm.some({'x' * 90})", Location("k.py", 1))
    long = Instruction("", "store", "x" * 90, Location("k.py", 2))
    assert RaceError("a race", call, INIT).found == (
        "k.py:1 (llvm.some), after k.py:2:1 (mbarrier.init.shared::cta.b64)"
    )
    assert RaceError("a race", long).found == f"k.py:2 (store {'x' * 54}…)"


@pytest.mark.parametrize(
    ("warps", "words"),
    [((3,), "warp 3"), ((2, 3, 4), "warps 2 to 4"), ((0, 2), "warps 0, 2")],
)
def test_a_deadlock_names_the_waits(warps, words):
    error = DeadlockError([Wait(1, warps, "phase 0", LOAD, 64, INIT, 2, 128)])
    assert error.location == LOAD.location
    assert error.found == (
        f"block 1, {words} at k.py:4:9 (%x = load i32, ptr addrspace(3) %next): waits for phase 0"
        " (initialized at k.py:2:1)"
    )
    (wait,) = json.loads(error.to_json())["waits"]
    assert wait == {
        "block": 1,
        "warps": list(warps),
        "condition": "phase 0",
        "location": {"file": "k.py", "line": 4, "column": 9},
        "instruction": LOAD.text,
        "mbarrier": {
            "address": 64,
            "pending_arrivals": 2,
            "pending_bytes": 128,
            "initialized": {"file": "k.py", "line": 2, "column": 1},
        },
    }


def test_a_deadlock_with_unknown_locations():
    init = Instruction("", "call", "void @init()")
    error = DeadlockError([Wait(0, (0,), "a barrier"), Wait(0, (1,), "b", None, 8, init)])
    assert error.location is None
    assert error.found == (
        "block 0, warp 0: waits for a barrier\n"
        "         block 0, warp 1: waits for b (initialized at call void @init())"
    )
    first, second = json.loads(error.to_json())["waits"]
    assert first == {"block": 0, "warps": [0], "condition": "a barrier"}
    assert second["mbarrier"]["initialized"] is None


def test_a_step_runs_as_an_earlier_one():
    history = History([LOAD, STORE], 1)
    with history.at_step(0):
        assert history.at(history.current) is LOAD
    assert history.at(history.current) is STORE
    assert history.at(2) is None
    assert history.at(-1) is None


def test_a_barrier_that_some_warps_do_not_reach():
    body = """
  %low = icmp ult i32 %i, 64
  br i1 %low, label %then, label %done ; loc("k.py":1:2)
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 3, i32 128) ; loc("k.py":7:8)
  br label %done
done:
  ret void"""
    with pytest.raises(DeadlockError) as error:
        run_text(body, [np.zeros(1, np.int32)], threads=96)
    (wait,) = error.value.waits
    assert wait.warps == (0, 1)
    assert wait.condition == "barrier 3, which 64 of 128 threads have reached"
    assert error.value.location == Location("k.py", 7, 8)


def test_other_errors_have_the_source_line_of_the_instruction():
    body = """
  %p = getelementptr i32, ptr addrspace(1) %p0, i32 99999
  %x = load i32, ptr addrspace(1) %p, align 4 ; loc("k.py":7:8)
  ret void"""
    with pytest.raises(OutOfBoundsError) as error:
        run_text(body, [np.zeros(1, np.int32)])
    assert error.value.location == Location("k.py", 7, 8)
