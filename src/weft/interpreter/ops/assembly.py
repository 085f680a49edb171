"""tt.elementwise_inline_asm: PTX, as many elements at a time as the operation says.

    pack 4, tensor<512xi8>    128 runs; the four bytes of a run are one register of 32 bits
    pack 2, tensor<512xf32>   256 runs; each run has two registers

Elements go in the order of the tensor's rows; on a GPU a thread takes its own neighbours.
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

# What passes themselves write in assembly: the rounding of f32 to tf32.
_ROUND_TO_TF32 = "cvt.rna.tf32.f32 $0, $1;"
# Launches run one after the other here, so a dependent one has nothing to wait for.
_DEPENDENCIES = frozenset(
    f"griddepcontrol.{verb}; // dummy $0" for verb in ("wait", "launch_dependents")
)
_REGISTER_BITS = 32


@dataclass(frozen=True, slots=True)
class _Words:
    """How elements of one value share registers. each: in a register.  count: registers a run."""

    dtype: np.dtype
    each: int
    count: int

    @property
    def bits(self) -> int:
        return 8 * self.dtype.itemsize * self.each


@pure(tt.ElementwiseInlineAsmOp)
def inline_asm(op: Operation) -> Evaluate:
    """Run PTX on each pack of elements.

    Raises: LaunchError: an instruction that belongs to a machine, or that is not known here.
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
        return _packed(op, assembly)
    except CodegenError as error:
        raise _refused(op, error) from None


def _refused(op: Operation, error: CodegenError) -> LaunchError:
    return LaunchError(
        f"the interpreter cannot run inline assembly: {error.message}",
        location=locations.position(op.location),
        found=error.found,
        accepted=error.accepted,
        hint=error.hint
        or "write it with tl functions, or run the kernel on the GPU that it is for",
    )


def _packed(op: tt.ElementwiseInlineAsmOp, assembly: Assembly) -> Evaluate:
    pack = op.packed_element.value.data
    shape = types.shape(op.results[0].type)
    given = [_words(operand.type, pack) for operand in op.operands]
    made = [_words(result.type, pack) for result in op.results]
    _check(assembly.inputs, given, "inputs")
    _check(assembly.outputs, made, "outputs")

    def run(*values: Value) -> object:
        arrays = [full(value, shape) for value in values]
        count = max((array.shape[0] for array in arrays), default=1)
        size = count * prod(shape)
        runs = -(-size // pack)
        registers = [
            register
            for array, words in zip(arrays, given, strict=True)
            for register in _split(np.broadcast_to(array, (count, *shape)), words, runs, pack)
        ]
        try:
            outputs = iter(assembly.run(registers))
        except CodegenError as error:
            raise _refused(op, error) from None
        results = [
            _joined([next(outputs) for _ in range(words.count)], words, runs, pack)
            .reshape(-1)[:size]
            .reshape(count, *shape)
            for words in made
        ]
        return results[0] if len(results) == 1 else tuple(results)

    return run


def _words(type_: Attribute, pack: int) -> _Words:
    bits = types.bit_width(types.element(type_))
    each = max(1, min(pack, _REGISTER_BITS // bits)) if bits >= 8 else 1
    if (bits < 8 and pack > 1) or each & (each - 1):
        raise CodegenError("elements that do not fill a register", found=f"{pack} of {type_}")
    return _Words(dtype_of(type_), each, -(-pack // each))


def _check(registers: Sequence[int], values: Sequence[_Words], what: str) -> None:
    needed = [words.bits for words in values for _ in range(words.count)]
    if len(registers) != len(needed):
        raise CodegenError(
            f"the constraints have {len(registers)} {what}, and the elements take {len(needed)}"
        )
    for has, needs in zip(registers, needed, strict=True):
        if 1 < has < needs:
            raise CodegenError(f"a register of {has} bits for elements of {needs}")


def _split(array: np.ndarray, words: _Words, runs: int, pack: int) -> list[np.ndarray]:
    """Return the registers of each run: bits, one array per register."""
    padded = np.zeros(runs * words.count * words.each, words.dtype).reshape(runs, -1)
    flat = np.zeros(runs * pack, words.dtype)
    flat[: array.size] = array.reshape(-1)
    padded[:, :pack] = flat.reshape(runs, pack)
    bits = padded.view(f"u{words.bits // 8}")
    return [np.ascontiguousarray(bits[:, n]) for n in range(words.count)]


def _joined(registers: list[np.ndarray], words: _Words, runs: int, pack: int) -> np.ndarray:
    """Return the elements that a run's registers hold, a row per run."""
    if words.dtype == BOOL:
        return (np.broadcast_to(registers[0], (runs,)) & 1).astype(BOOL)[:, None]
    kept = [each.astype(f"u{words.bits // 8}", copy=False) for each in registers]
    whole = np.stack([np.broadcast_to(each, (runs,)) for each in kept], axis=1)
    return np.ascontiguousarray(whole).view(words.dtype)[:, :pack]
