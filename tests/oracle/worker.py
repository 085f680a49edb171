"""Answer questions about Triton, one JSON object per line, in a process that may abort.

Triton's wheel ends the process on some inputs. `tests.oracle.client.Triton` starts this worker,
asks, and starts it anew when an answer never comes.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.oracle import reference


def cases(path: str) -> list[dict[str, object]]:
    """Return for each entry of a kernel file's CASES its kernel's name and its options."""
    module = reference.load_as_triton(Path(path))
    items = [reference.case(module, index) for index in range(len(module.CASES))]
    return [{"kernel": item.kernel.__name__, "options": item.options} for item in items]


def trace(path: str, index: int, target: str) -> dict[str, object]:
    """Return Triton's IR from its front end, and each pass to the conversion to TTGIR."""
    front, steps = reference.trace(Path(path), index, target)
    return {"front": front, "steps": [dataclasses.asdict(step) for step in steps]}


def dumps(path: str, index: int, target: str) -> list[tuple[str, str, str]]:
    """Return (pass, IR, IR with locations) for the front end and every pass."""
    return reference.dumps(Path(path), index, target)


CLEAN_UPS = ("canonicalize", "cse", "sccp", "symbol-dce", "triton-licm", "triton-loop-aware-cse")


def clean_ups(path: str, index: int, target: str) -> list[dict[str, object]]:
    """Return the steps that tidy up between Triton's TTGIR passes, each IR text once."""
    _, steps = reference.trace(Path(path), index, target, stop_after="\0")
    found: dict[tuple[str, str], dict[str, object]] = {}
    for step in steps:
        name = step.pipeline.partition("{")[0]
        if step.stage != "make_ttir" and name in CLEAN_UPS and "ttg." in step.before:
            found[name, step.before] = dataclasses.asdict(step)
    return list(found.values())


def steps(path: str, index: int, target: str) -> list[dict[str, object]]:
    """Return the conversion to TTGIR and every pass behind it."""
    _, found = reference.trace(Path(path), index, target, stop_after="\0")
    return [dataclasses.asdict(step) for step in found if step.stage != "make_ttir"]


def time_layout(path: str, index: int, target: str, passes: int, runs: int) -> float:
    """Return the median ms of the first `passes` passes behind the conversion to TTGIR."""
    return reference.time_layout(Path(path), index, target, passes, runs)


ANSWERS: dict[str, Callable[..., object]] = {
    "cases": cases,
    "trace": trace,
    "clean_ups": clean_ups,
    "steps": steps,
    "time_layout": time_layout,
    "dumps": dumps,
    "make_ttir": reference.make_ttir,
    "canonical": reference.canonical,
    "machine_code": reference.machine_code,
}


def main() -> None:
    """Read questions from standard input until it ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Triton prints must not mix with the answers
    for line in sys.stdin:
        question, arguments = json.loads(line)
        try:
            answer = {"answer": ANSWERS[question](*arguments)}
        except Exception as error:  # whatever Triton raises is the answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
