"""Read a signature, or derive it from the annotations of the parameters."""

from __future__ import annotations

from collections.abc import Mapping

from weft.compiler.kernel_location import definition_location
from weft.compiler.signature import Attributes, Constants, Signature
from weft.compiler.signature_types import CONSTEXPR
from weft.compiler.type_names import annotated_type
from weft.errors import SignatureError
from weft.language.kernel_function import KernelFunction

__all__ = ["read_signature"]


def read_signature(
    kernel: KernelFunction,
    signature: str | Mapping[str, object] | Signature | None,
    constexprs: Constants | None = None,
    attrs: Attributes | None = None,
) -> Signature:
    """Read a signature, or derive it from the annotations where none is given.

    Args:
        kernel: The kernel that the signature describes.
        signature: As `Signature.of` takes it; None to use the annotations.
        constexprs: As `Signature.of` takes them.
        attrs: As `Signature.of` takes them.

    Raises:
        SignatureError: The signature does not fit the kernel, or a parameter has neither a type
            annotation nor a value.
    """
    if signature is not None:
        return Signature.of(kernel, signature, constexprs, attrs)
    values = constexprs or {}
    types: dict[str, object] = {}
    untyped: list[str] = []
    for parameter in kernel.parameters:
        annotation = annotated_type(parameter.annotation)
        has_value = parameter.name in values or (parameter.index,) in values
        if parameter.is_constexpr or has_value:
            types[parameter.name] = CONSTEXPR
        elif annotation is not None:
            types[parameter.name] = annotation
        else:
            untyped.append(parameter.name)
    if untyped:
        template = ["value" if each.is_constexpr else "type" for each in kernel.parameters]
        raise SignatureError(
            f"{kernel.name} needs a signature: no type for {', '.join(untyped)}",
            location=definition_location(kernel),
            found=f"parameters {', '.join(kernel.parameter_names)}",
            accepted=[f'"{", ".join(template)}"', "parameters annotated with types"],
            hint="types are *fp16:16 (an aligned pointer), i32, fp32, …; a value is 1024",
        )
    return Signature.of(kernel, types, constexprs, attrs)
