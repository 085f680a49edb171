"""The arithmetic of reductions and scans: registers of a thread, lanes of a warp, then warps.

    4x64 over 2 warps, reduced along dimension 1; a thread holds two columns of two rows, all lanes
    a row:         2 adds, and 2 · 5 adds after shuffles, per warp

The plans of `weft.lowering_plans` have the shuffles and the exchanges between warps.
"""

from __future__ import annotations

from weft.ir import tt, types
from weft.ir.builtin import Operation
from weft.layouts import Encoding
from weft.layouts.column_action import remove_broadcast
from weft.optimum.costs.work import Work

__all__ = ["reduction_arithmetic", "scan_arithmetic"]


def _bits_along(encoding: Encoding, shape: tuple[int, ...], axis: int) -> dict[str, int]:
    """Count the bits of registers, lanes and warps that step along an axis."""
    layout = encoding.linear(shape)
    distinct = remove_broadcast(layout).apply(layout)
    return {
        name: sum(1 for image in images if distinct.unpack(image)[axis])
        for name, images in distinct.ins
    }


def _sizes(op: Operation, encoding: Encoding) -> tuple[int, int, int]:
    """Count warps, distinct registers, and combining operations of all operands."""
    shape = types.shape(op.operands[0].type)
    layout = encoding.linear(shape)
    registers = remove_broadcast(layout).apply(layout).in_size("register")
    operations = sum(1 for inner in op.walk() if inner is not op) - 1  # without the terminator
    return layout.in_size("warp"), registers, max(1, operations)


def reduction_arithmetic(op: tt.ReduceOp, encoding: Encoding) -> Work:
    """Count the combining instructions of a reduction of operands in a layout."""
    axis = op.axis.value.data
    steps = _bits_along(encoding, types.shape(op.operands[0].type), axis)
    warps, registers, operations = _sizes(op, encoding)
    rows = max(1, registers >> steps["register"])
    combined = registers - rows + _exchanges(rows, steps["lane"])
    # One lane per row stores the partial of its warp, and every thread loads those of its rows.
    parts = 1 << (steps["warp"] + steps["block"])
    return Work(instructions=(combined + rows * (parts - 1)) * operations * warps)


def _exchanges(rows: int, steps: int) -> int:
    """Count the combining steps of a lane: by butterflies, or by recursive halving."""
    halvings = min(steps, rows.bit_length() - 1)
    halved = 2 * (rows - (rows >> halvings)) + (steps - halvings) * (rows >> halvings)
    return min(rows * steps, halved)


def scan_arithmetic(op: tt.ScanOp, encoding: Encoding) -> Work:
    """Count the combining instructions of a scan of operands in a layout."""
    axis = op.axis.value.data
    steps = _bits_along(encoding, types.shape(op.operands[0].type), axis)
    warps, registers, operations = _sizes(op, encoding)
    # A run of registers is scanned by the thread; the lanes scan the last element of each run.
    runs = max(1, registers >> min(steps["register"], registers.bit_length() - 1))
    parts = 1 << (steps["warp"] + steps["block"])
    combined = 2 * registers + runs * (steps["lane"] + parts - 1)
    return Work(instructions=combined * operations * warps)
