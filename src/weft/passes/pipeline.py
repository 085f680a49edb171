"""Pipelines: run passes over a module in order, timed, and checked where somebody wants it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from weft.errors import VerifyError
from weft.ir.builtin import ModuleOp
from weft.passes.registry import Pass

__all__ = ["PassTiming", "run_pipeline", "verify_each"]

After = Callable[[Pass, ModuleOp], None]

_VERIFY: ContextVar[bool] = ContextVar("weft_verify_each", default=False)


@dataclass(frozen=True, slots=True)
class PassTiming:
    """The seconds that one pass of a run took; checking the IR after it is not counted."""

    name: str
    seconds: float


@contextmanager
def verify_each() -> Iterator[None]:
    """Check the IR after every pass that is run inside: for tests and for debugging."""
    token = _VERIFY.set(True)
    try:
        yield
    finally:
        _VERIFY.reset(token)


def run_pipeline(
    passes: Sequence[Pass],
    module: ModuleOp,
    *,
    verify: bool = False,
    after: After | None = None,
) -> tuple[PassTiming, ...]:
    """Run passes over a module, in order and in place.

    Args: verify: check the IR after every pass.  after: called with each pass when it is done.
    Returns: what each pass took.
    Raises: PassError: from a pass.  VerifyError: naming the pass that left illegal IR.
    """
    checked = verify or _VERIFY.get()
    timings: list[PassTiming] = []
    for one in passes:
        start = time.perf_counter()
        one.run(module)
        timings.append(PassTiming(one.name, time.perf_counter() - start))
        if checked:
            _verify_after(one, module)
        if after is not None:
            after(one, module)
    return tuple(timings)


def _verify_after(done: Pass, module: ModuleOp) -> None:
    from weft.ir.verifier import verify

    try:
        verify(module)
    except VerifyError as error:
        raise VerifyError(
            f"{error.message} (left by pass {done.name})",
            location=error.location,
            found=error.found,
            accepted=error.accepted,
            hint=error.hint,
        ) from error
