"""Triton's loop passes at any number of stages, one at a time. Nothing here imports weft.

The passes before them do not depend on the number of stages, so the IR of one compile is taken to
the first loop pass, and from there through the loop passes at each number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from triton._C.libtriton import amd, ir, passes

from tests.oracle import reference
from tests.oracle.reference import Step

Adder = Callable[[object], None]

_FIRST = ("tritongpu-assign-latencies", "tritonamdgpu-schedule-loops")
_WARP_SPECIALIZES = 100  # the first compute capability whose pipeline has that pass


@cache
def _before(path: Path, index: int, target: str) -> str | None:
    """Return the IR before the first loop pass, None if there is no such pass or no loop."""
    _, steps = reference.trace(path, index, target, stop_after="\0")
    for step in steps:
        if step.pipeline.partition("{")[0] in _FIRST:
            return step.before if "scf.for" in step.before else None
    return None


def _adders(target: str, num_stages: int) -> Iterator[tuple[Adder, ...]]:
    """Yield what adds each loop pass of a target, in order, with each of its options."""
    backend, arch = target.split(":")
    if backend == "hip":
        yield (lambda manager: amd.passes.ttgpuir.add_schedule_loops(manager, num_stages),)
        yield (
            lambda manager: amd.passes.ttgpuir.add_pipeline(manager, False, False),
            lambda manager: amd.passes.ttgpuir.add_pipeline(manager, True, False),
            lambda manager: amd.passes.ttgpuir.add_pipeline(manager, True, True),
        )
        return
    yield (lambda manager: passes.ttgpuir.add_assign_latencies(manager, num_stages),)
    yield (passes.ttgpuir.add_schedule_loops,)
    if int(arch) >= _WARP_SPECIALIZES:
        yield (lambda manager: passes.ttgpuir.add_warp_specialize(manager, num_stages),)
    yield (lambda manager: passes.ttgpuir.add_pipeline(manager, num_stages, False),)


def steps(path: Path, index: int, target: str, num_stages: int) -> list[Step]:
    """Return the loop passes of entry `index` of a kernel file's CASES."""
    text = _before(path, index, target)
    if text is None:
        return []
    backend = reference.make_backend(reference.target(target))
    result: list[Step] = []
    for variants in _adders(target, num_stages):
        after: list[str] = []
        for add in variants:
            fresh = reference.context(backend)
            module = reference.parse(text, fresh)
            manager = ir.pass_manager(fresh)
            add(manager)
            name = manager.get_pipeline_str().removeprefix("any(").removesuffix(")")
            before = module.str_nodebug()
            manager.run(module, "loops")
            after.append(module.str_nodebug())
            result.append(Step("make_ttgir", name, before, after[-1]))
        text = after[0]
    return result
