"""The parameters of a kernel, from the types that a signature gives them.

    {"x": "*fp16", "n": "i32", "BLOCK": "constexpr", "t": ("i32", "*fp32")}

A type says which SSA arguments stand for a parameter and what value the body sees. A tuple has
the arguments of its members; a tensor descriptor has its handle, then its sizes (i32), then its
strides (i64); a constant has none. A *path* names a parameter, or a member: (0,), (3, 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from weft.errors import SignatureError
from weft.frontend import static_values
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import DescriptorValue, TensorValue, TupleValue
from weft.ir import types
from weft.ir.builtin import Attribute, SSAValue
from weft.language.compound_types import block_type, str_to_ty
from weft.language.constexpr import constexpr
from weft.language.dtypes import dtype, int32, int64
from weft.language.kernel_function import KernelFunction

Path: TypeAlias = tuple[int, ...]
TypeName: TypeAlias = "str | tuple[TypeName, ...]"

CONSTEXPR = "constexpr"
_DESCRIPTOR = r"tensordesc<([a-z0-9]+)\[([0-9, ]+)\](?:,.*)?>"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Hold what the parameters of one kernel need.

    Args: names: in order.  types: one per parameter.  constants: path → value.
    """

    names: tuple[str, ...]
    types: tuple[TypeName, ...]
    constants: Mapping[Path, Any]
    attributes: Mapping[Path, Sequence[tuple[str, int]]] = field(default_factory=dict)


def parameters_of(
    function: KernelFunction,
    signature: Mapping[str, TypeName],
    constexprs: Mapping[Path | str, Any],
    attributes: Mapping[Path, Sequence[tuple[str, int]]],
) -> Parameters:
    """Check a signature against a kernel and bring it into one form.

    Raises: SignatureError: a parameter has no type, a name is none of the kernel's, or a constant
            has no value.
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
    found: list[TypeName] = []
    for parameter in function.parameters:
        path = (parameter.index,)
        if parameter.name in signature:
            found.append(signature[parameter.name])
        elif path in constants:
            found.append(CONSTEXPR)
        elif parameter.has_default:
            constants[path] = parameter.default
            found.append(CONSTEXPR)
        else:
            raise SignatureError(
                f"the signature gives parameter {parameter.name} of {function.name} no type",
                found=", ".join(signature) or "nothing",
                accepted=names,
            )
    return Parameters(names, tuple(found), constants, attributes)


def ir_types(emitter: Emitter, parameters: Parameters) -> list[tuple[Path, Attribute]]:
    """Return path and type of each SSA argument, in order."""
    return [
        (path, type_)
        for index, kind in enumerate(parameters.types)
        for path, type_ in _leaves(emitter, kind, (index,))
    ]


def _leaves(emitter: Emitter, kind: TypeName, path: Path) -> Iterator[tuple[Path, Attribute]]:
    if isinstance(kind, tuple | list):
        for index, member in enumerate(kind):
            yield from _leaves(emitter, member, (*path, index))
    elif kind.startswith("tensordesc<"):
        block = descriptor_block(kind)
        yield path, types.descriptor(emitter.ir_type(block))
        for _ in block.shape:
            yield (*path, -1), types.i32
        for _ in block.shape:
            yield (*path, -1), types.i64
    elif kind != CONSTEXPR:
        yield path, emitter.ir_type(str_to_ty(kind))


def descriptor_block(kind: str) -> block_type:
    """Return the block that "tensordesc<fp16[64,32]>" moves at a time.

    Raises: SignatureError: it is not written so.
    """
    match = re.fullmatch(_DESCRIPTOR, kind)
    if match is None:
        raise SignatureError(
            "a tensor descriptor is written with the type and shape of its block",
            found=kind,
            accepted=("tensordesc<fp16[64,32]>",),
        )
    shape = [int(extent) for extent in match[2].split(",")]
    return block_type(str_to_ty(match[1]), shape)


def values_of(
    function: KernelFunction, parameters: Parameters, handles: Iterator[SSAValue]
) -> dict[str, Any]:
    """Return the value that each parameter has in the body, over the SSA arguments."""
    return {
        name: _value(function, parameters, kind, (index,), handles)
        for index, (name, kind) in enumerate(zip(parameters.names, parameters.types, strict=True))
    }


def _value(
    function: KernelFunction,
    parameters: Parameters,
    kind: TypeName,
    path: Path,
    handles: Iterator[SSAValue],
) -> Any:
    if isinstance(kind, tuple | list):
        members = tuple(
            _value(function, parameters, member, (*path, index), handles)
            for index, member in enumerate(kind)
        )
        return TupleValue(members, getattr(kind, "_fields", None))
    if kind == CONSTEXPR:
        return _constant(function, parameters, path)
    if kind.startswith("tensordesc<"):
        return _descriptor(descriptor_block(kind), handles)
    return TensorValue(next(handles), str_to_ty(kind))


def _constant(function: KernelFunction, parameters: Parameters, path: Path) -> Any:
    if path in parameters.constants:
        return static_values.enter(parameters.constants[path])
    name = parameters.names[path[0]]
    raise SignatureError(
        f"parameter {name} of {function.name} is a constant without a value",
        found=f"{name}: constexpr",
        accepted=(f'constexprs={{"{name}": …}}',),
    )


def _descriptor(block: block_type, handles: Iterator[SSAValue]) -> DescriptorValue:
    def scalars(type_: dtype) -> tuple[TensorValue, ...]:
        return tuple(TensorValue(next(handles), type_) for _ in block.shape)

    return DescriptorValue(next(handles), block, scalars(int32), scalars(int64))


__all__ = ["CONSTEXPR", "Parameters", "constexpr", "ir_types", "parameters_of", "values_of"]
