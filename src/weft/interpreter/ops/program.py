"""The grid, printing and assertions."""

from __future__ import annotations

import sys

import numpy as np
from xdsl.ir import Operation

from weft.errors import LaunchError
from weft.interpreter.batch import Batch
from weft.interpreter.dtypes import I32, unsigned
from weft.interpreter.properties import flag_of, text_of
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.rounding import tf32
from weft.interpreter.values import Value, dense, full
from weft.ir import locations, types
from weft.ir.attributes import array_values
from weft.ir.enums import ProgramDim


@effect("tt.get_program_id")
def get_program_id(op: Operation) -> Evaluate:
    """Give the instances' ids along one axis."""
    axis = int(ProgramDim.of(op.properties["axis"]))
    return lambda batch: batch.ids[axis]


@effect("tt.get_num_programs")
def get_num_programs(op: Operation) -> Evaluate:
    """Give the size of the grid along one axis."""
    axis = int(ProgramDim.of(op.properties["axis"]))
    return lambda batch: np.array([batch.launch.grid[axis]], I32)


@pure("ttg.barrier", "gpu.barrier", "ttg.local_barrier", "ttng.fence_async_shared")
def barrier(op: Operation) -> Evaluate:
    """Do nothing: each operation ends for all elements before the next begins."""
    return lambda: None


@effect("tt.print")
def print_(op: Operation) -> Evaluate:
    """Write a line for each program and element, as a GPU's printf would."""
    prefix = text_of(op, "prefix")
    hexadecimal = flag_of(op, "hex")
    signed = array_values(op.properties["isSigned"])
    shapes = [types.shape(value.type) for value in op.operands]

    def write(batch: Batch, *values: Value) -> None:
        arrays = [full(v, s, batch.size) for v, s in zip(values, shapes, strict=True)]
        arrays = [
            a.view(unsigned(a.dtype)) if a.dtype.kind == "i" and not is_signed else a
            for a, is_signed in zip(arrays, signed, strict=True)
        ]
        for instance in range(batch.size):
            head = f"pid {batch.program(instance)}"
            if not arrays:
                sys.stdout.write(f"{head}{prefix}\n")
            for operand, array in enumerate(arrays):
                for index, item in np.ndenumerate(array[instance]):
                    place = f" idx {index}" if index else ""
                    which = f"(operand {operand}) " if len(arrays) > 1 else ""
                    sys.stdout.write(f"{head}{place}{prefix}{which}{_text(item, hexadecimal)}\n")

    return write


def _text(item: np.generic, hexadecimal: bool) -> str:
    if not hexadecimal:
        return str(item)
    digits = 2 * item.dtype.itemsize
    bits = np.array([item]).view(f"u{item.dtype.itemsize}")[0]
    return f"0x{int(bits):0{digits}x}"


@effect("tt.assert")
def assert_(op: Operation) -> Evaluate:
    """Stop where the condition is false."""
    message = text_of(op, "message")
    location = locations.position(op.location)

    def check(batch: Batch, condition: Value) -> None:
        holds = dense(condition)
        if holds.all():
            return
        lane = np.unravel_index(int((~holds).argmax()), holds.shape)
        tile = tuple(int(i) for i in lane[1:])
        where = f", tile element {tile}" if tile else ""
        raise LaunchError(
            f"device assertion failed: {message}",
            location=location,
            found=f"false in program {batch.program(int(lane[0]))} of {batch.launch.kernel}{where}",
        )

    return check


# What passes themselves write in assembly: the rounding of f32 to tf32.
_ROUND_TO_TF32 = "cvt.rna.tf32.f32 $0, $1;"


@pure("tt.elementwise_inline_asm")
def inline_asm(op: Operation) -> Evaluate:
    """Round to tf32 where a pass asks for it; refuse all else: assembly is a machine's.

    Raises: LaunchError: for all else.
    """
    text = text_of(op, "asm_string")
    if text == _ROUND_TO_TF32:
        shape = types.shape(op.operands[0].type)
        return lambda a: tf32(np.ascontiguousarray(full(a, shape)))
    raise LaunchError(
        "the interpreter cannot run inline assembly",
        location=locations.position(op.location),
        found=text,
        accepted=["operations of the IR", "library functions (tl.extra.libdevice)"],
        hint="write it with tl functions, or run the kernel on the GPU that it is for",
    )
