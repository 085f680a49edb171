"""Run Triton in a subprocess: questions and answers are one JSON value per line.

Triton's wheel aborts the process on some inputs. `tests.oracle.client.Triton` starts this worker
and restarts it when it has ended without an answer.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.oracle import loop_reference, memory_reference, reference, whole_reference


def cases(path: str) -> list[dict[str, object]]:
    """List the name of the kernel and the options of each entry of a kernel file's CASES."""
    module = reference.load_as_triton(Path(path))
    items = [reference.case(module, index) for index in range(len(module.CASES))]
    return [{"kernel": item.kernel.__name__, "options": item.options} for item in items]


def trace(path: str, index: int, target: str) -> dict[str, object]:
    """Record the IR of Triton's front end and each pass up to the conversion to TTGIR."""
    front, steps = reference.trace(Path(path), index, target)
    return {"front": front, "steps": [dataclasses.asdict(step) for step in steps]}


def dumps(path: str, index: int, target: str) -> list[tuple[str, str, str]]:
    """Record (pass, IR, IR with locations) for the front end and every pass."""
    return reference.dumps(Path(path), index, target)


CLEAN_UPS = ("canonicalize", "cse", "sccp", "symbol-dce", "triton-licm", "triton-loop-aware-cse")


def clean_ups(path: str, index: int, target: str) -> list[dict[str, object]]:
    """List the clean-up passes between Triton's TTGIR passes, each IR text once.

    Where a pass of Triton fails, those before it count.
    """
    steps = reference.steps_until_failure(Path(path), index, target)
    unique: dict[tuple[str, str], dict[str, object]] = {}
    for step in steps:
        name = step.pipeline.partition("{")[0]
        if step.stage != "make_ttir" and name in CLEAN_UPS and "ttg." in step.before:
            unique[name, step.before] = dataclasses.asdict(step)
    return list(unique.values())


def steps(path: str, index: int, target: str) -> list[dict[str, object]]:
    """List the conversion to TTGIR and every pass after it."""
    _, recorded = reference.trace(Path(path), index, target, stop_after=reference.NO_PASS)
    return [dataclasses.asdict(step) for step in recorded if step.stage != "make_ttir"]


def time_layout(path: str, index: int, target: str, passes: int, runs: int) -> float:
    """Measure the median ms of the first `passes` passes after the conversion to TTGIR."""
    return reference.time_layout(Path(path), index, target, passes, runs)


def loop_steps(path: str, index: int, target: str, num_stages: int) -> list[dict[str, object]]:
    """Return the loop passes at a number of stages."""
    actual = loop_reference.steps(Path(path), index, target, num_stages)
    return [dataclasses.asdict(step) for step in actual]


def whole(path: str, index: int, target: str, options: dict[str, object]) -> dict[str, str]:
    """Compile to final TTGIR at other options."""
    return whole_reference.compile_to_ttgir(Path(path), index, target, options)


def located(path: str, index: int, target: str) -> dict[str, str]:
    """Compile to final TTGIR, and print the stages with source locations."""
    return whole_reference.compile_to_ttgir(Path(path), index, target, {}, locations=True)


def memory_steps(path: str, index: int, target: str) -> list[dict[str, object]]:
    """Return the passes that place memory, after control flow was lowered."""
    return [dataclasses.asdict(step) for step in memory_reference.steps(Path(path), index, target)]


ANSWERS: dict[str, Callable[..., object]] = {
    "cases": cases,
    "trace": trace,
    "clean_ups": clean_ups,
    "steps": steps,
    "loop_steps": loop_steps,
    "whole": whole,
    "located": located,
    "memory_steps": memory_steps,
    "time_layout": time_layout,
    "dumps": dumps,
    "make_ttir": reference.make_ttir,
    "canonical": reference.canonical,
    "gluon_pass": reference.gluon_pass,
    "machine_code": reference.machine_code,
}


def main() -> None:
    """Read questions from standard input until it ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keeps what Triton prints out of the answers
    for line in sys.stdin:
        question, arguments = json.loads(line)
        try:
            answer = {"answer": ANSWERS[question](*arguments)}
        except Exception as error:  # any error of Triton is an answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
