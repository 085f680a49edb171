"""Run a pipeline of passes over a module, with timing and optional verification."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from msgspec import Struct

from weft.errors import VerifyError
from weft.ir.builtin import ModuleOp
from weft.passes.ir_dump import dump_before, is_dumped
from weft.passes.registry import Pass

__all__ = ["PassTiming", "run_pipeline", "verify_each"]

Callback = Callable[[Pass, ModuleOp], None]

_VERIFY: ContextVar[bool] = ContextVar("weft_verify_each", default=False)


class PassTiming(Struct, frozen=True):
    """The run time of one pass.

    Attributes:
        name: The name of the pass.
        seconds: Its run time, without verification of the IR after it.
    """

    name: str
    seconds: float


@contextmanager
def verify_each() -> Generator[None, None, None]:
    """Verify the IR after every pass that runs in the context, for tests and debugging."""
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
    after: Callback | None = None,
) -> tuple[PassTiming, ...]:
    """Run passes over a module, in order and in place.

    Args:
        passes: The passes.
        module: The module to transform.
        verify: Verify the IR after every pass.
        after: Called with each pass and the module after the pass ran.

    Returns:
        The run time of each pass.

    Raises:
        PassError: A pass failed.
        VerifyError: A pass left invalid IR; the message names the pass.
    """
    verify = verify or _VERIFY.get()
    timings: list[PassTiming] = []
    dumps = is_dumped(module)
    for pass_ in passes:
        if dumps:
            dump_before(pass_, module)
        start = time.perf_counter()
        for each in _modules(module):
            pass_.run(each)
        timings.append(PassTiming(pass_.name, time.perf_counter() - start))
        if verify:
            _verify_after(pass_, module)
        if after is not None:
            after(pass_, module)
    return tuple(timings)


def _modules(module: ModuleOp) -> tuple[ModuleOp, ...]:
    """List the modules that a pass runs on: those in the module if it holds nothing else.

    MLIR's parser puts the modules of a text with several into one module.
    """
    nested = tuple(op for op in module.ops if isinstance(op, ModuleOp))
    return nested if nested and len(nested) == len(module.ops) else (module,)


def _verify_after(pass_: Pass, module: ModuleOp) -> None:
    # Imported here, because a compile without verification does not need the verifier.
    from weft.ir.verifier import verify

    try:
        verify(module)
    except VerifyError as error:
        raise VerifyError(
            f"{error.message} (left by pass {pass_.name})",
            location=error.location,
            found=error.found,
            accepted=error.accepted,
            hint=error.hint,
        ) from error
