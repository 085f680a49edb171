"""Does a pass keep meaning? Run IR before and after it on random inputs and compare memory.

    check_pass(text, "canonicalize,cse", scalars={2: 100})

Every pointer argument becomes an array of random elements; every scalar a small random number
unless `scalars` says what it is. All arrays are compared after the run, so whatever the kernel
writes is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from weft.errors import PassError
from weft.interpreter import run
from weft.ir import tt, types
from weft.ir.builtin import Attribute, ModuleOp
from weft.ir.rewriting import clone
from weft.ir.text import parse_module
from weft.passes import Pass, parse_pipeline, run_pipeline

__all__ = ["Difference", "check_pass"]

_ARRAYS: dict[Attribute, Any] = {
    types.i1: np.bool_,
    types.i8: np.int8,
    types.i16: np.int16,
    types.i32: np.int32,
    types.i64: np.int64,
    types.f16: np.float16,
    types.f32: np.float32,
    types.f64: np.float64,
    types.bf16: ml_dtypes.bfloat16,
    types.f8E4M3FN: ml_dtypes.float8_e4m3fn,
    types.f8E5M2: ml_dtypes.float8_e5m2,
    types.f8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    types.f8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
}
LARGEST_SCALAR = 64


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the memory of the two runs differs: the argument, the seed, and the elements."""

    argument: int
    seed: int
    elements: int
    largest: float

    def __str__(self) -> str:
        return (
            f"argument {self.argument}, seed {self.seed}: {self.elements} elements differ, "
            f"by {self.largest:g} at most"
        )


def check_pass(
    module: ModuleOp | str,
    passes: Sequence[Pass] | str,
    *,
    grid: tuple[int, ...] = (2,),
    elements: int = 1 << 14,
    scalars: Mapping[int, float] | None = None,
    seeds: Iterable[int] = range(3),
    tolerance: float = 0.0,
) -> None:
    """Require that passes leave a module's public kernel with the same meaning.

    Args: module: TTIR with one public function.  passes: or a pipeline in text.
          elements: of each array.  scalars: argument index → value.
          tolerance: largest relative difference of floats that a pass may cause.
    Raises: PassError: telling each array that differs.  VerifyError: the passes left illegal IR.
    """
    before = parse_module(module) if isinstance(module, str) else module
    after = clone(before, {})
    assert isinstance(after, ModuleOp)
    run_pipeline(parse_pipeline(passes) if isinstance(passes, str) else passes, after, verify=True)
    found: list[Difference] = []
    for seed in seeds:
        memories = [_run(one, grid, elements, scalars or {}, seed) for one in (before, after)]
        for index, (a, b) in enumerate(zip(*memories, strict=True)):
            difference = compare_arrays(index, seed, a, b, tolerance)
            if difference is not None:
                found.append(difference)
    if found:
        raise PassError(
            "the passes changed what the kernel computes", found="; ".join(map(str, found))
        )


def _kernel(module: ModuleOp) -> tt.FuncOp:
    public = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public]
    if len(public) != 1:
        raise PassError(
            "a module with one public function is needed",
            found=[function.symbol for function in public],
        )
    return public[0]


def _run(
    module: ModuleOp,
    grid: tuple[int, ...],
    elements: int,
    scalars: Mapping[int, float],
    seed: int,
) -> list[object]:
    """Run a kernel and return its arguments as it left them."""
    kernel = _kernel(module)
    random = np.random.default_rng(seed)
    arguments = [
        random_argument(type_, elements, random) if index not in scalars else scalars[index]
        for index, type_ in enumerate(kernel.function_type.inputs.data)
    ]
    run(module, kernel.symbol, grid, arguments)
    return arguments


def random_argument(type_: Attribute, elements: int, random: np.random.Generator) -> object:
    """Return a random argument of a type: an array of `elements` for a pointer, else a number."""
    if types.is_pointer(type_):
        return _random(type_.pointee, elements, random)
    if types.is_float(type_):
        return float(random.uniform(-2.0, 2.0))
    return int(random.integers(1, 2 if type_ == types.i1 else LARGEST_SCALAR))


def _random(element: Attribute, count: int, random: np.random.Generator) -> Any:
    kind = _ARRAYS.get(element)
    if kind is None:
        raise PassError(
            "no random elements of this type", found=element, accepted=[str(k) for k in _ARRAYS]
        )
    if types.is_float(element):
        return random.standard_normal(count).astype(kind)
    return random.integers(0, 2 if element == types.i1 else 100, count).astype(kind)


def compare_arrays(
    index: int, seed: int, before: object, after: object, tolerance: float
) -> Difference | None:
    """Return how two runs' arrays differ, None where they agree or are no arrays."""
    if not isinstance(before, np.ndarray):
        return None
    a, b = (np.asarray(memory).astype(np.float64) for memory in (before, after))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):  # infinities of one sign are the same
        gap = np.where(same, 0.0, np.abs(a - b))
        differs = ~(same | (gap <= tolerance * np.maximum(np.abs(a), 1.0)))
    if not differs.any():
        return None
    return Difference(index, seed, int(differs.sum()), float(np.nanmax(gap, initial=0.0)))
