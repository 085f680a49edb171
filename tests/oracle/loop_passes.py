"""Loop passes one by one beside Triton's, at 1 to 5 stages, each on Triton's own IR before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.oracle import client, weft_side
from tests.oracle.compare import Comparison
from tests.oracle.corpus import name
from tests.oracle.decisions import decision_of
from tests.oracle.layout_passes import Compile, compared
from tests.oracle.tally import Tally

STAGES = (1, 2, 3, 4, 5)


def loop_passes_of(triton: client.Triton, each: Compile) -> Iterator[tuple[str, client.Step]]:
    """Yield (label, step) of the loop passes that weft has, each IR text once.

    Raises: client.TritonError: Triton refuses the kernel, or ends its process.
    """
    visited: set[tuple[str, str]] = set()
    for num_stages in STAGES:
        for step in triton.loop_steps(*each, num_stages):
            if weft_side.has_pass(step.name) and (step.pipeline, step.before) not in visited:
                visited.add((step.pipeline, step.before))
                yield f"{name(*each)} at {num_stages} stages", step


def one_pass(triton: client.Triton, step: client.Step) -> Comparison:
    """Compare one pass on Triton's IR before it."""
    return compared(triton, step.after, weft_side.run_passes(step.before, step.pipeline))


def pass_tallies(triton: client.Triton, compiles: Iterable[Compile]) -> dict[str, Tally]:
    """Compare every loop pass of every compile, a row for each pass."""
    rows: dict[str, Tally] = {}
    for each in compiles:
        try:
            steps = list(loop_passes_of(triton, each))
        except client.TritonError as error:
            rows.setdefault("(refused by Triton)", Tally()).notes.append(f"{name(*each)}: {error}")
            continue
        for label, step in steps:
            decision = decision_of(each, step.name)
            if decision:
                notes = rows.setdefault("(decided otherwise)", Tally()).notes
                notes.append(f"{label}: {step.name}: {decision}")
                continue
            row = rows.setdefault(step.name, Tally())
            row.add(label, lambda step=step: one_pass(triton, step))
    return dict(sorted(rows.items()))
