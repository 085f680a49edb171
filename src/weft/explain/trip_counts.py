"""Find how often the loops around an operation run, where their bounds are constants.

scf.for %i = %c0 to %c64 step %c16 { scf.for %j = %c0 to %n … { tt.load } }   (4, None)
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.ir import scf
from weft.ir.rewriting import ancestors
from weft.ir.scf.trip_count import trip_count

__all__ = ["trip_counts"]


def trip_counts(op: Operation) -> tuple[int | None, ...]:
    """List the iterations of each loop around an operation, the outermost first.

    Returns:
        The iterations; None for a loop whose bounds are not constants, and for a while loop.
    """
    loops = [
        _iterations(outer) for outer in ancestors(op) if isinstance(outer, scf.ForOp | scf.WhileOp)
    ]
    return tuple(reversed(loops))


def _iterations(loop: scf.ForOp | scf.WhileOp) -> int | None:
    return None if isinstance(loop, scf.WhileOp) else trip_count(loop)
