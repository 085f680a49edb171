"""Uses of thread and warp ids, which differ between the threads of a program.

    %warp = ttg.warp_id
    %c = arith.cmpi slt, %warp, %four : i32
    amdg.cond_barrier %c                      half of the warps waits: no value depends on it
    ttng.arrive_barrier %bar, 1, %c           the first thread arrives, in the first warp

The interpreter runs all threads of a program as one, so a scalar has one value: that of the first
thread. This is exact for operations that only order threads, and for those that the first thread
runs for all. Elsewhere the id would need a value per thread, which is an error.
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.errors import LaunchError
from weft.interpreter.registry import row_of
from weft.ir import amdg, locations, tt, ttng, types

__all__ = ["check_uses_of_thread_id"]

_ORDER_THREADS = (amdg.CondBarrierOp,)
_RUN_BY_FIRST_THREAD = (
    tt.AtomicCASOp,
    tt.AtomicRMWOp,
    tt.StoreOp,
    ttng.ArriveBarrierOp,
    ttng.AsyncTMACopyGlobalToLocalOp,
    ttng.BarrierExpectOp,
    ttng.TCGen5CommitOp,
    ttng.TCGen5MMAOp,
    ttng.TCGen5MMAScaledOp,
)


def check_uses_of_thread_id(op: Operation) -> None:
    """Check that the effects which depend on an id are those of the first thread.

    Args:
        op: The operation that reads the id.

    Raises:
        LaunchError: Another effect, or a tensor, depends on it.
    """
    checked: set[Operation] = set()
    worklist = [op]
    while worklist:
        for result in worklist.pop().results:
            for user in [use.operation for use in result.uses]:
                if user in checked or isinstance(user, _ORDER_THREADS):
                    continue
                checked.add(user)
                if any(types.is_tensor(value.type) for value in (*user.operands, *user.results)):
                    raise _differs(op, user)
                if _is_pure(user):
                    worklist.append(user)
                elif not isinstance(user, _RUN_BY_FIRST_THREAD):
                    raise _differs(op, user)


def _is_pure(op: Operation) -> bool:
    row = row_of(op.name)
    return row is not None and row.kind == "pure" and not op.regions and bool(op.results)


def _differs(op: Operation, user: Operation) -> LaunchError:
    return LaunchError(
        f"the interpreter has no value per thread for {user.name}",
        location=locations.position(user.location),
        found=f"an operand that depends on {op.name}",
        hint="a barrier, a scalar store or an arrival may depend on it",
    )
