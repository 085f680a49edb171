"""The parameters of a kernel, with the types of a signature.

    {"x": "*fp16", "n": "i32", "BLOCK": "constexpr", "t": ("i32", "*fp32")}

A type determines the SSA arguments of a parameter and its value in the body:

    "*fp16", "i32"               one argument
    ("i32", "*fp32")             the arguments of the members
    "tensordesc<fp16[64,32]>"    the handle, then the sizes (i32), then the strides (i64)
    "constexpr"                  no argument

A path identifies a parameter, or a member of a tuple parameter: (0,), (3, 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from weft.errors import SignatureError
from weft.frontend import static_values
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, TupleValue, Value
from weft.ir import types
from weft.ir.builtin import Attribute, SSAValue
from weft.language.compound_types import block_type, str_to_ty
from weft.language.dtypes import dtype, int32, int64
from weft.language.kernel_function import KernelFunction

__all__ = ["CONSTEXPR", "Parameters", "argument_types", "bind_signature", "parameter_values"]

Path: TypeAlias = tuple[int, ...]
TypeName: TypeAlias = "str | tuple[TypeName, ...]"

CONSTEXPR = "constexpr"
_DESCRIPTOR = r"tensordesc<([a-z0-9]+)\[([0-9, ]+)\](?:,(.*))?>"


class Parameters(Struct, frozen=True):
    """The parameters of a kernel.

    Attributes:
        names: The name of each parameter.
        types: The type of each parameter.
        constants: The values of the constants, by path.
        attributes: The attributes of the arguments, by path: ("tt.divisibility", 16).
    """

    names: tuple[str, ...]
    types: tuple[TypeName, ...]
    constants: Mapping[Path, object]
    attributes: Mapping[Path, Sequence[tuple[str, int]]] = field(default_factory=dict)


def bind_signature(
    function: KernelFunction,
    signature: Mapping[str, TypeName],
    constexprs: Mapping[Path | str, object] | Mapping[str, object],
    attributes: Mapping[Path, Sequence[tuple[str, int]]],
) -> Parameters:
    """Match a signature with the parameters of a kernel.

    Args:
        function: The kernel.
        signature: The types by parameter name.
        constexprs: The values of constants, by parameter name or path.
        attributes: The attributes of the arguments, by path.

    Raises:
        SignatureError: A parameter has no type, a constant no value, or a name is unknown.
    """
    names = function.parameter_names
    for name in (*signature, *(key for key in constexprs if isinstance(key, str))):
        if name not in names:
            raise SignatureError(
                f"{function.name} has no parameter {name}", found=name, accepted=names
            )
    constants = {
        (names.index(key),) if isinstance(key, str) else tuple(key): value
        for key, value in constexprs.items()
    }
    type_names: list[TypeName] = []
    for parameter in function.parameters:
        path = (parameter.index,)
        if parameter.name in signature:
            type_names.append(signature[parameter.name])
        elif path in constants:
            type_names.append(CONSTEXPR)
        elif parameter.has_default:
            constants[path] = parameter.default
            type_names.append(CONSTEXPR)
        else:
            raise SignatureError(
                f"missing type of parameter {parameter.name} of {function.name} in the signature",
                found=", ".join(signature) or "nothing",
                accepted=names,
            )
    return Parameters(names, tuple(type_names), constants, attributes)


def argument_types(emitter: Emitter, parameters: Parameters) -> list[tuple[Path, Attribute]]:
    """List the path and the type of each SSA argument, in order."""
    return [
        (path, type_)
        for index, type_name in enumerate(parameters.types)
        for path, type_ in _argument_types(emitter, type_name, (index,))
    ]


def _argument_types(
    emitter: Emitter, type_name: TypeName, path: Path
) -> Iterator[tuple[Path, Attribute]]:
    if isinstance(type_name, tuple | list):
        for index, member in enumerate(type_name):
            yield from _argument_types(emitter, member, (*path, index))
    elif type_name.startswith("tensordesc<"):
        block, layout = _descriptor_block(type_name)
        yield path, emitter.descriptor_type(block, layout)
        for _ in block.shape:
            yield (*path, -1), types.i32
        for _ in block.shape:
            yield (*path, -1), types.i64
    elif type_name != CONSTEXPR:
        yield path, emitter.ir_type(str_to_ty(type_name))


def _descriptor_block(type_name: str) -> tuple[block_type, str]:
    """Parse the type of a block, and the text of its layout, "" without one."""
    match = re.fullmatch(_DESCRIPTOR, type_name)
    if match is None:
        raise SignatureError(
            "invalid type of a tensor descriptor",
            found=type_name,
            accepted=("tensordesc<fp16[64,32]>",),
        )
    shape = [int(extent) for extent in match[2].split(",")]
    return block_type(str_to_ty(match[1]), shape), match[3] or ""


def parameter_values(
    emitter: Emitter,
    function: KernelFunction,
    parameters: Parameters,
    handles: Iterator[SSAValue],
) -> dict[str, Value]:
    """Create the value of each parameter in the body from the SSA arguments.

    Raises:
        SignatureError: A constant has no value.
    """
    return {
        name: _value(emitter, function, parameters, type_name, (index,), handles)
        for index, (name, type_name) in enumerate(
            zip(parameters.names, parameters.types, strict=True)
        )
    }


def _value(
    emitter: Emitter,
    function: KernelFunction,
    parameters: Parameters,
    type_name: TypeName,
    path: Path,
    handles: Iterator[SSAValue],
) -> Value:
    if isinstance(type_name, tuple | list):
        members = tuple(
            _value(emitter, function, parameters, member, (*path, index), handles)
            for index, member in enumerate(type_name)
        )
        return TupleValue(members, getattr(type_name, "_fields", None))
    if type_name == CONSTEXPR:
        return _constant(function, parameters, path)
    if type_name.startswith("tensordesc<"):
        return _descriptor(emitter, *_descriptor_block(type_name), handles)
    return TensorValue(next(handles), str_to_ty(type_name))


def _constant(function: KernelFunction, parameters: Parameters, path: Path) -> Value:
    if path in parameters.constants:
        return static_values.from_python(parameters.constants[path])
    name = parameters.names[path[0]]
    raise SignatureError(
        f"missing value of constexpr parameter {name} of {function.name}",
        found=f"{name}: constexpr",
        accepted=(f'constexprs={{"{name}": …}}',),
    )


def _descriptor(
    emitter: Emitter, block: block_type, layout: str, handles: Iterator[SSAValue]
) -> Value:
    def scalars(type_: dtype) -> tuple[TensorValue, ...]:
        return tuple(TensorValue(next(handles), type_) for _ in block.shape)

    return emitter.descriptor(next(handles), block, layout, scalars(int32), scalars(int64))
