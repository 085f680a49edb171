"""Check that passes keep the meaning of a kernel, by running it on random inputs.

    check_pass(text, "canonicalize,cse", scalars={2: 100})

The interpreter runs the kernel before and after the passes. Every pointer argument is an array of
random elements, every scalar a small random number unless `scalars` has its value. All arrays are
compared after the runs, so that whatever the kernel writes counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

from weft.errors import PassError
from weft.interpreter import run
from weft.ir import tt, types
from weft.ir.builtin import Attribute, ModuleOp
from weft.ir.rewriting import clone
from weft.ir.text import parse_module
from weft.passes import Pass, parse_pipeline, run_pipeline

__all__ = ["Difference", "check_pass", "compare_arrays", "random_argument"]

_DTYPES: dict[Attribute, DTypeLike] = {
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
_MAX_SCALAR = 64
_MAX_ELEMENT = 100


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the arrays of two runs.

    Attributes:
        argument: Position of the argument.
        seed: Seed of the random inputs.
        elements: Number of elements that differ.
        largest: Largest absolute difference.
    """

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
    """Check that passes keep the meaning of a module's public kernel.

    Args:
        module: TTIR with one public function.
        passes: The passes, or a pipeline in text.
        grid: The grid of the runs.
        elements: Elements of each array.
        scalars: Values of scalar arguments, by position.
        seeds: Seeds of the random inputs.
        tolerance: Largest relative difference of floats.

    Raises:
        PassError: The arrays differ; lists the differences.
        VerifyError: The passes produced invalid IR.
    """
    before = parse_module(module) if isinstance(module, str) else module
    after = clone(before, {})
    assert isinstance(after, ModuleOp)
    run_pipeline(parse_pipeline(passes) if isinstance(passes, str) else passes, after, verify=True)
    differences: list[Difference] = []
    for seed in seeds:
        runs = [_run(each, grid, elements, scalars or {}, seed) for each in (before, after)]
        for index, (expected, actual) in enumerate(zip(*runs, strict=True)):
            difference = compare_arrays(index, seed, expected, actual, tolerance)
            if difference is not None:
                differences.append(difference)
    if differences:
        raise PassError(
            "the passes changed the meaning of the kernel", found="; ".join(map(str, differences))
        )


def _public_kernel(module: ModuleOp) -> tt.FuncOp:
    public = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public]
    if len(public) != 1:
        raise PassError(
            "the module must have one public function",
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
    """Run a kernel on random arguments, and return them as the kernel left them."""
    kernel = _public_kernel(module)
    random = np.random.default_rng(seed)
    arguments = [
        random_argument(type_, elements, random) if index not in scalars else scalars[index]
        for index, type_ in enumerate(kernel.function_type.inputs.data)
    ]
    run(module, kernel.symbol, grid, arguments)
    return arguments


def random_argument(type_: Attribute, elements: int, random: np.random.Generator) -> object:
    """Create a random argument of a type: an array for a pointer, else a number.

    Args:
        type_: The type.
        elements: Elements of an array.
        random: The generator.
    """
    if types.is_pointer(type_):
        return _random_array(type_.pointee, elements, random)
    if types.is_float(type_):
        return float(random.uniform(-2.0, 2.0))
    return int(random.integers(1, 2 if type_ == types.i1 else _MAX_SCALAR))


def _random_array(
    element: Attribute, count: int, random: np.random.Generator
) -> NDArray[np.generic]:
    dtype = _DTYPES.get(element)
    if dtype is None:
        raise PassError(
            f"random elements of type {element} are not supported",
            found=element,
            accepted=[str(each) for each in _DTYPES],
        )
    if types.is_float(element):
        return random.standard_normal(count).astype(dtype)
    return random.integers(0, 2 if element == types.i1 else _MAX_ELEMENT, count).astype(dtype)


def compare_arrays(
    index: int, seed: int, expected: object, actual: object, tolerance: float
) -> Difference | None:
    """Compare an argument after two runs; None if it is equal or not an array.

    Args:
        index: Position of the argument.
        seed: Seed of the random inputs.
        expected: The argument after the first run.
        actual: The argument after the second run.
        tolerance: Largest relative difference of floats.
    """
    if not isinstance(expected, np.ndarray):
        return None
    a, b = (np.asarray(array).astype(np.float64) for array in (expected, actual))
    is_same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):  # the difference of equal infinities
        distance = np.where(is_same, 0.0, np.abs(a - b))
        differs = ~(is_same | (distance <= tolerance * np.maximum(np.abs(a), 1.0)))
    if not differs.any():
        return None
    return Difference(index, seed, int(differs.sum()), float(np.nanmax(distance, initial=0.0)))
