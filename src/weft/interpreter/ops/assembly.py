"""tt.elementwise_inline_asm: inline PTX, run on as many elements at a time as the operation packs.

    pack 4, tensor<512xi8>    128 runs; the four bytes of a run are in one register of 32 bits
    pack 2, tensor<512xf32>   256 runs; each run has two registers

Elements are in row-major order of the tensor; on a GPU a run has consecutive elements of a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.errors import CodegenError, LaunchError
from weft.interpreter.dtypes import BOOL, dtype_of
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.rounding import tf32
from weft.interpreter.values import Value, full
from weft.ir import locations, tt, types

if TYPE_CHECKING:
    from weft.ptx import Assembly

# Assembly that passes emit: the rounding of f32 to tf32.
_ROUND_TO_TF32 = "cvt.rna.tf32.f32 $0, $1;"
# Launches run one after the other here, so a dependent launch does not wait.
_DEPENDENCIES = frozenset(
    f"griddepcontrol.{verb}; // dummy $0" for verb in ("wait", "launch_dependents")
)
_REGISTER_BITS = 32


@dataclass(frozen=True, slots=True)
class _Packing:
    """How the elements of one value are packed into registers.

    Attributes:
        dtype: The dtype of an element.
        each: The number of elements per register.
        count: The number of registers per run.
    """

    dtype: np.dtype
    each: int
    count: int

    @property
    def bits(self) -> int:
        return 8 * self.dtype.itemsize * self.each


@pure(tt.ElementwiseInlineAsmOp)
def inline_asm(op: Operation) -> Evaluate:
    """Run PTX on each pack of elements.

    Raises:
        LaunchError: An instruction is not supported.
    """
    assert isinstance(op, tt.ElementwiseInlineAsmOp)
    text = op.asm_string.data
    if text == _ROUND_TO_TF32:
        shape = types.shape(op.operands[0].type)
        return lambda a: tf32(np.ascontiguousarray(full(a, shape)))
    if text in _DEPENDENCIES:
        return lambda: np.zeros(1, np.int32)
    from weft.ptx import read  # few kernels need it

    try:
        assembly = read(text, op.constraints.data)
        return _compile(op, assembly)
    except CodegenError as error:
        raise _unsupported(op, error) from None


def _unsupported(op: Operation, error: CodegenError) -> LaunchError:
    return LaunchError(
        f"the interpreter cannot run inline assembly: {error.message}",
        location=locations.position(op.location),
        found=error.found,
        accepted=error.accepted,
        hint=error.hint
        or "write it with tl functions, or run the kernel on the GPU that it is for",
    )


def _compile(op: tt.ElementwiseInlineAsmOp, assembly: Assembly) -> Evaluate:
    pack = op.packed_element.value.data
    shape = types.shape(op.results[0].type)
    inputs = [_packing(operand.type, pack) for operand in op.operands]
    outputs = [_packing(result.type, pack) for result in op.results]
    _check(assembly.inputs, inputs, "inputs")
    _check(assembly.outputs, outputs, "outputs")

    def run(*values: Value) -> object:
        arrays = [full(value, shape) for value in values]
        count = max((array.shape[0] for array in arrays), default=1)
        size = count * prod(shape)
        runs = -(-size // pack)
        registers = [
            register
            for array, packing in zip(arrays, inputs, strict=True)
            for register in _pack(np.broadcast_to(array, (count, *shape)), packing, runs, pack)
        ]
        try:
            results = iter(assembly.run(registers))
        except CodegenError as error:
            raise _unsupported(op, error) from None
        tensors = [
            _unpack([next(results) for _ in range(packing.count)], packing, runs, pack)
            .reshape(-1)[:size]
            .reshape(count, *shape)
            for packing in outputs
        ]
        return tensors[0] if len(tensors) == 1 else tuple(tensors)

    return run


def _packing(type_: Attribute, pack: int) -> _Packing:
    bits = types.bit_width(types.element(type_))
    each = max(1, min(pack, _REGISTER_BITS // bits)) if bits >= 8 else 1
    if (bits < 8 and pack > 1) or each & (each - 1):
        raise CodegenError("elements that do not fill a register", found=f"{pack} of {type_}")
    return _Packing(dtype_of(type_), each, -(-pack // each))


def _check(registers: Sequence[int], values: Sequence[_Packing], what: str) -> None:
    needed = [packing.bits for packing in values for _ in range(packing.count)]
    if len(registers) != len(needed):
        raise CodegenError(
            f"the constraints have {len(registers)} {what}, and the elements take {len(needed)}"
        )
    for width, needed_width in zip(registers, needed, strict=True):
        if 1 < width < needed_width:
            raise CodegenError(f"a register of {width} bits for elements of {needed_width}")


def _pack(array: np.ndarray, packing: _Packing, runs: int, pack: int) -> list[np.ndarray]:
    """Pack elements into registers: the bits of each run, one array per register."""
    padded = np.zeros(runs * packing.count * packing.each, packing.dtype).reshape(runs, -1)
    flat = np.zeros(runs * pack, packing.dtype)
    flat[: array.size] = array.reshape(-1)
    padded[:, :pack] = flat.reshape(runs, pack)
    bits = padded.view(f"u{packing.bits // 8}")
    return [np.ascontiguousarray(bits[:, n]) for n in range(packing.count)]


def _unpack(registers: list[np.ndarray], packing: _Packing, runs: int, pack: int) -> np.ndarray:
    """Unpack the elements of registers, one row per run."""
    if packing.dtype == BOOL:
        return (np.broadcast_to(registers[0], (runs,)) & 1).astype(BOOL)[:, None]
    bits = [each.astype(f"u{packing.bits // 8}", copy=False) for each in registers]
    whole = np.stack([np.broadcast_to(each, (runs,)) for each in bits], axis=1)
    return np.ascontiguousarray(whole).view(packing.dtype)[:, :pack]
