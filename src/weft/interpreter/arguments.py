"""Binds the arguments of a launch to the parameters of a kernel, and checks their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Attribute, BlockArgument

from weft.errors import LaunchError
from weft.interpreter.dtypes import BOOL, I32, I64, array_dtypes, dtype_of, integer_range
from weft.interpreter.memory import Memory
from weft.interpreter.values import PADS_WITH_NAN, ROUNDS_TO_TF32, Bundle, Value
from weft.ir import types
from weft.ir.locations import NameLoc


@dataclass(frozen=True, slots=True)
class DescriptorArray:
    """The array of a tensor descriptor whose loads change elements.

    Attributes:
        array: The array.
        pads_with_nan: Whether elements out of bounds are NaN, not zero.
        rounds_to_tf32: Whether loads of f32 round to tf32.
    """

    array: np.ndarray
    pads_with_nan: bool
    rounds_to_tf32: bool


def name_of(parameter: BlockArgument) -> str:
    """Look up the name of a parameter in the source; else it is `arg` and its number."""
    location = parameter.location
    if isinstance(location, NameLoc):
        return location.desc.data
    return parameter.name_hint or f"arg{parameter.index}"


def bind(
    kernel: str,
    parameters: Sequence[BlockArgument],
    arguments: Sequence[object],
    memory: Memory,
    names: Sequence[str] | None = None,
) -> list[Value]:
    """Compute the values of a kernel's parameters, and add its arrays to memory.

    Args:
        kernel: The name of the kernel.
        parameters: The parameters.
        arguments: One argument per parameter.
        memory: The address space of the launch.
        names: Names of the parameters for errors; None for those in the IR.

    Raises:
        LaunchError: An argument is missing, or does not match the type of its parameter.
    """
    if len(parameters) != len(arguments):
        raise LaunchError(
            f"{kernel} takes {len(parameters)} arguments",
            found=f"{len(arguments)} arguments",
            accepted=[f"{name_of(p)}: {p.type}" for p in parameters],
        )
    names = [name_of(p) for p in parameters] if names is None else names
    return [
        _bind_one(name, parameter.type, argument, memory)
        for name, parameter, argument in zip(names, parameters, arguments, strict=True)
    ]


def _bind_one(name: str, type_: Attribute, argument: object, memory: Memory) -> Value:
    if types.is_pointer(type_):
        array = _array(name, type_.pointee, argument)
        return np.array([memory.add(name, array)], I64)
    if isinstance(type_, types.TensorDescType):
        return _descriptor(name, type_, argument, memory)
    if types.is_float(type_):
        return _float(name, type_, argument)
    return _integer(name, type_, argument)


def _array(name: str, element: Attribute, argument: object) -> np.ndarray:
    accepted = array_dtypes(element)
    if not isinstance(argument, np.ndarray):
        raise LaunchError(
            f"argument {name} must be a numpy array on this device",
            found=f"{type(argument).__name__}",
            accepted=[f"a numpy array of {dtype}" for dtype in accepted],
        )
    if argument.dtype not in accepted:
        raise LaunchError(
            f"argument {name} has the wrong dtype",
            found=f"an array of {argument.dtype}",
            accepted=[f"an array of {dtype}" for dtype in accepted],
        )
    return argument


def _descriptor(name: str, type_: types.TensorDescType, argument: object, memory: Memory) -> Bundle:
    block = type_.block_type
    flags = 0
    if isinstance(argument, DescriptorArray):
        flags = PADS_WITH_NAN * argument.pads_with_nan | ROUNDS_TO_TF32 * argument.rounds_to_tf32
        argument = argument.array
    array = _array(name, types.element(block), argument)
    if array.ndim != len(types.shape(block)):
        raise LaunchError(
            f"argument {name} has the wrong rank",
            found=f"an array of shape {array.shape}",
            accepted=[f"an array of {len(types.shape(block))} dimensions"],
        )
    shape = (np.array([size], I32) for size in array.shape)
    strides = (np.array([stride // array.itemsize], I64) for stride in array.strides)
    base = np.array([memory.add(name, array)], I64)
    return Bundle((base, np.array([flags]), *shape, *strides))


def _float(name: str, type_: Attribute, argument: object) -> np.ndarray:
    if isinstance(argument, bool) or not isinstance(
        argument, float | int | np.floating | np.integer
    ):
        raise LaunchError(
            f"argument {name} must be a number",
            found=f"{argument!r} of type {type(argument).__name__}",
            accepted=[f"a float, as {type_}"],
        )
    return np.array([float(argument)]).astype(dtype_of(type_))


def _integer(name: str, type_: Attribute, argument: object) -> np.ndarray:
    dtype = dtype_of(type_)
    if not isinstance(argument, int | np.integer | np.bool_):
        raise LaunchError(
            f"argument {name} must be an integer",
            found=f"{argument!r} of type {type(argument).__name__}",
            accepted=[f"an integer, as {type_}"],
        )
    number = int(argument)
    if dtype == BOOL:
        return np.array([number != 0])
    low, high = integer_range(dtype)
    unsigned_high = 2 * high + 1
    if not low <= number <= unsigned_high:
        raise LaunchError(
            f"argument {name} does not fit its type",
            found=number,
            accepted=[f"{low} to {unsigned_high}, as {type_}"],
        )
    return np.array([number if number <= high else number - 2 * high - 2], dtype)
