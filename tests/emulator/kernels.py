"""Kernels beside the examples, on small inputs, with results that the emulator does not compute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import weft
from tests.codegen.comparing import arguments_for, kernel_of
from weft.ir import attributes, tt, types
from weft.kernel.files import load_cases, load_file
from weft.launch.interception import intercept_launches

__all__ = ["check_kernel", "check_package"]

_FILES = Path(__file__).parents[1] / "oracle" / "kernels"


def check_package(name: str) -> None:
    """Check a kernel of benchmarks/package_kernels.py against torch."""
    import torch

    from benchmarks import package_kernels, package_workloads

    torch.manual_seed(0)
    make = package_workloads._Maker("cpu", full=False)
    work = getattr(package_workloads, name)(make)
    work.launch(package_kernels)
    error = package_workloads.largest_error(work)
    assert error <= work.bound, error


def check_kernel(file: str, index: int, programs: int = 2, number: int | None = None) -> None:
    """Check a case of a file of tests/oracle/kernels against weft's CPU device, on random arrays.

    Args:
        file: Name of the file without its folder and suffix.
        index: Number of the case in the file.
        programs: Programs along each axis of the grid that the kernel reads.
        number: The integer arguments that 16 divides; others are less by an odd number. Random
            ones without it.
    """
    case = load_cases(load_file(str(_FILES / f"{file}.py")))[index]
    module = weft.compile(
        case.kernel,
        signature=case.signature,
        constexprs=case.constexprs,
        target=case.targets[0] if case.targets else "hip:gfx942",
        stop_after="ttir",
        **case.options,
    ).module("ttir")
    kernel = kernel_of(module)
    # Programs along an axis that the kernel does not read would write the same addresses.
    axes = [op.axis for op in module.walk() if isinstance(op, tt.GetProgramIdOp)]
    numbers = {int(attributes.number(axis) or 0) for axis in axes}
    grid = tuple(programs if axis in numbers else 1 for axis in range(max(numbers, default=0) + 1))
    constants = _constants(case)
    names = [name for name in case.kernel.arg_names if name not in constants]
    expected, actual = (_arguments(kernel, number) for _ in range(2))
    with intercept_launches(None):
        case.kernel[grid](**dict(zip(names, expected, strict=True)), **constants)
    case.kernel[grid](**dict(zip(names, actual, strict=True)), **constants, **case.options)
    for result, right in zip(actual, expected, strict=True):
        if isinstance(result, np.ndarray):
            _compare(result, np.asarray(right))


def _constants(case: Any) -> dict[str, object]:
    """List the constant parameters of a case: those of its signature, and its constexprs."""
    words = [word.strip() for word in case.signature.split(",")]
    pairs = zip(case.kernel.arg_names, words, strict=False)
    return {name: _constant(word) for name, word in pairs if _is_constant(word)} | case.constexprs


def _arguments(kernel: tt.FuncOp, number: int | None) -> list[object]:
    """Draw random arguments, with integers that may be strides; see `check_kernel`."""
    arguments = arguments_for(kernel, 0)
    for at, type_ in enumerate(kernel.function_type.inputs.data):
        if number is not None and types.is_integer(type_):
            is_divisible = "tt.divisibility" in kernel.argument_attributes(at)
            whole = number if is_divisible else number - _ODD
            arguments[at] = types.bit_width(type_) == 1 or whole
    return arguments


def _is_constant(word: str) -> bool:
    return word in _NAMES or not (word.startswith("*") or word[0].isalpha())


_ODD = 27
_NAMES: dict[str, object] = {"None": None, "True": True, "False": False}


def _constant(word: str) -> object:
    if word in _NAMES:
        return _NAMES[word]
    read: Callable[[str], Any] = float if "." in word else int
    return read(word)


def _compare(result: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> None:
    narrow = result.dtype.itemsize < 4 and result.dtype.kind not in "iub"
    bound = 2e-2 if narrow else 2e-3  # a dot of 16 bits may have stored f32
    wide = [each.astype(np.float64) for each in (result, right)]
    scale = float(np.abs(wide[1][np.isfinite(wide[1])]).max(initial=1.0))
    np.testing.assert_allclose(*wide, rtol=bound, atol=bound * scale, equal_nan=True)
