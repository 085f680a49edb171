"""Program ids, printing, assertions and barriers."""

from __future__ import annotations

import sys

import numpy as np
from xdsl.ir import Operation

from weft.errors import DeviceAssertionError, LaunchError
from weft.interpreter.dtypes import I32, unsigned
from weft.interpreter.host_debugging import debugging_of
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import flag_of, text_of
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.thread_ids import check_uses_of_thread_id
from weft.interpreter.values import Value, dense, full
from weft.ir import amdg, gpu, llvm, locations, rocdl, tt, ttg, ttng, types
from weft.ir.attributes import array_values
from weft.ir.enums import ProgramDim
from weft.ir.module_attributes import lookup_num_warps
from weft.ir.print_format import print_formats, to_python_format


@effect(tt.GetProgramIdOp)
def get_program_id(op: Operation) -> Evaluate:
    """Look up the program ids along one axis."""
    axis = int(ProgramDim.of(op.properties["axis"]))
    return lambda batch: batch.ids[axis]


@effect(tt.GetNumProgramsOp)
def get_num_programs(op: Operation) -> Evaluate:
    """Look up the size of the grid along one axis."""
    axis = int(ProgramDim.of(op.properties["axis"]))
    return lambda batch: np.array([batch.launch.grid[axis]], I32)


@pure(
    gpu.BarrierOp,
    ttg.BarrierOp,
    "ttg.local_barrier",
    ttng.ClusterArriveOp,
    ttng.ClusterWaitOp,
    ttng.FenceAsyncSharedOp,
    ttng.FenceMBarrierInitReleaseClusterOp,
    amdg.ClusterBarrierArriveOp,
    amdg.ClusterBarrierWaitOp,
    amdg.CondBarrierOp,
    amdg.InstructionSchedHintOp,
    rocdl.BarrierOp,
    rocdl.IglpOptOp,
    rocdl.SBarrierOp,
    rocdl.SNopOp,
    rocdl.SetPrioOp,
    rocdl.SSleepOp,
    rocdl.SchedBarrierOp,
    rocdl.SchedGroupBarrierOp,
    rocdl.WaitDscntOp,
    rocdl.WaitExpcntOp,
    rocdl.WaitStorecntOp,
)
def barrier(op: Operation) -> Evaluate:
    """Do nothing: each operation completes for all elements before the next one."""
    return lambda *_: None


@pure(ttg.WarpIdOp, rocdl.WorkitemIdXOp, rocdl.WorkitemIdYOp, rocdl.WorkitemIdZOp)
def thread_id(op: Operation) -> Evaluate:
    """Compute the id of the first thread or warp.

    Raises:
        LaunchError: An effect of another thread depends on the id.
    """
    is_only_warp = isinstance(op, ttg.WarpIdOp) and lookup_num_warps(op) == 1
    if not is_only_warp:
        check_uses_of_thread_id(op)
    return lambda: np.zeros(1, I32)


@pure(rocdl.ReadfirstlaneOp)
def read_first_lane(op: Operation) -> Evaluate:
    """Keep the value: a scalar is the same in all lanes."""
    return lambda a: a


@pure(amdg.MemoryCounterWaitOp)
def wait_for_accesses(op: Operation) -> Evaluate:
    """Do nothing for loads into registers, stores and LDS, which complete at once.

    Raises:
        LaunchError: The function has copies to LDS, which count as loads.
    """
    function = op
    while not isinstance(function, tt.FuncOp) and (parent := function.parent_op()) is not None:
        function = parent
    copies = (ttg.AsyncCopyGlobalToLocalOp, amdg.BufferLoadToLocalOp)
    if "load" in op.properties and any(isinstance(inner, copies) for inner in function.walk()):
        raise LaunchError(
            "the interpreter does not count the instructions of a copy",
            location=locations.position(op.location),
            found="amdg.memory_counter_wait load",
        )
    return lambda: None


@effect(tt.PrintOp)
def print_(op: Operation) -> Evaluate:
    """Print a line for each program and element, as printf on a GPU does.

    Python's `print` and `breakpoint` on the CPU device are prints with additional attributes.
    """
    assert isinstance(op, tt.PrintOp)
    if (debugging := debugging_of(op)) is not None:
        return debugging
    hexadecimal = flag_of(op, "hex")
    signed = array_values(op.isSigned)
    shapes = [types.shape(value.type) for value in op.operands]
    formats = [to_python_format(one) for one in print_formats(op)]

    def write(batch: Batch, *values: Value) -> None:
        arrays = [full(v, s, batch.size) for v, s in zip(values, shapes, strict=True)]
        arrays = [
            _as_in_c(array, hexadecimal, bool(one))
            for array, one in zip(arrays, signed, strict=True)
        ]
        for instance in range(batch.size):
            program_id = batch.program(instance)
            if not arrays:
                sys.stdout.write(formats[0] % program_id)
            for format_, array in zip(formats, arrays, strict=bool(arrays)):
                for index, item in np.ndenumerate(array[instance]):
                    sys.stdout.write(format_ % (*program_id, *index, item))

    return write


def _as_in_c(values: np.ndarray, hexadecimal: bool, signed: bool) -> np.ndarray:
    """Convert values to the arguments of printf in C."""
    size = values.dtype.itemsize
    if values.dtype.kind == "b":
        return values.astype(np.uint8)
    if hexadecimal or (values.dtype.kind not in "iu" and size == 1):
        return np.ascontiguousarray(values).view(f"u{size}")
    if values.dtype.kind not in "iu":
        return values.astype(np.float64)
    return values if signed or values.dtype.kind == "u" else values.view(unsigned(values.dtype))


@effect(tt.AssertOp)
def assert_(op: Operation) -> Evaluate:
    """Raise an error if the condition is false."""
    # The words of the CUDA runtime, which programs search for.
    message = f"device-side assert triggered: {text_of(op, 'message')}"
    return _require(op, message, DeviceAssertionError)


@effect(llvm.AssumeOp)
def assume(op: Operation) -> Evaluate:
    """Raise an error if the assumption is false, which is undefined behaviour on a GPU."""
    return _require(op, "an assumption does not hold")


def _require(op: Operation, message: str, error: type[LaunchError] = LaunchError) -> Evaluate:
    location = locations.position(op.location)

    def check(batch: Batch, condition: Value) -> None:
        holds = dense(condition)
        if holds.all():
            return
        lane = np.unravel_index(int((~holds).argmax()), holds.shape)
        tile = tuple(int(i) for i in lane[1:])
        where = f", tile element {tile}" if tile else ""
        raise error(
            message,
            location=location,
            found=f"false in program {batch.program(int(lane[0]))} of {batch.launch.kernel}{where}",
        )

    return check
