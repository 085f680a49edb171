"""A signature where the caller gives none: from the types that parameters are annotated with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft.compiler.kernel_location import definition
from weft.compiler.signature import Signature
from weft.compiler.signature_types import CONSTEXPR
from weft.compiler.type_names import declared
from weft.errors import SignatureError
from weft.language.kernel_function import KernelFunction


def read_signature(
    kernel: KernelFunction,
    signature: str | Mapping[str, object] | Signature | None,
    constexprs: Mapping[Any, object] | None = None,
    attrs: Mapping[Any, Sequence[Sequence[object]]] | None = None,
) -> Signature:
    """Read a signature, or the annotations of the parameters where none is given.

    Raises: SignatureError: it does not fit; or a parameter has neither annotation nor value.
    """
    if signature is not None:
        return Signature.of(kernel, signature, constexprs, attrs)
    known = constexprs or {}
    types: dict[str, object] = {}
    bare: list[str] = []
    for parameter in kernel.parameters:
        kind = declared(parameter.annotation)
        if parameter.is_constexpr or parameter.name in known or (parameter.index,) in known:
            types[parameter.name] = CONSTEXPR
        elif kind is not None:
            types[parameter.name] = kind
        else:
            bare.append(parameter.name)
    if bare:
        entries = ["value" if each.is_constexpr else "type" for each in kernel.parameters]
        raise SignatureError(
            f"{kernel.name} needs a signature: nothing says what {', '.join(bare)} is",
            location=definition(kernel),
            found=f"parameters {', '.join(kernel.parameter_names)}",
            accepted=[f'"{", ".join(entries)}"', "parameters annotated with types"],
            hint="a type is such as *fp16:16 (an aligned pointer), i32 or fp32; a value 1024",
        )
    return Signature.of(kernel, types, constexprs, attrs)
