"""`triton.compiler`: compile a kernel and its signature given as one object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft.compat.backends.compiler import GPUTarget
from weft.compiler.signature import Attributes, Constants, Signature
from weft.errors import CompilationError, SignatureError
from weft.kernel.compile import compile as weft_compile
from weft.kernel.compiled_kernel import CompiledKernel
from weft.targets import Target

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "GPUTarget", "compile"]


@dataclass(frozen=True, slots=True)
class ASTSource:
    """A kernel with its signature.

    Attributes:
        fn: The kernel.
        signature: As of `Signature.of`.
        constexprs: As of `Signature.of`.
        attrs: As of `Signature.of`.
    """

    fn: object
    signature: str | Mapping[str, object] | Signature
    constexprs: Constants | None = None
    attrs: Attributes | None = None


def compile(
    src: object, target: str | Target | GPUTarget | None = None, **arguments: Any
) -> CompiledKernel:
    """Compile an `ASTSource`, or anything that `weft.compile` takes.

    Args:
        src: The kernel with its signature, or what `weft.compile` takes as its first argument.
        target: A target by its name or as an object; None for the device that launches go to.
        arguments: As of `weft.compile`.

    Raises:
        SignatureError: An `ASTSource` together with another signature.
        WeftError: As `weft.compile`.
    """
    chip = str(target) if isinstance(target, GPUTarget) else target
    if not isinstance(src, ASTSource):
        return weft_compile(src, target=chip, **arguments)
    if arguments.keys() & {"signature", "constexprs", "attrs"}:
        raise SignatureError(
            "an ASTSource has its own signature", found="another signature, or constants"
        )
    return weft_compile(
        src.fn,
        target=chip,
        signature=src.signature,
        constexprs=src.constexprs,
        attrs=src.attrs,
        **arguments,
    )
