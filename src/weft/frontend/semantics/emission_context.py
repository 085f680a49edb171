"""The state that every function of this package emits operations with."""

from __future__ import annotations

from weft.errors import CompilationError
from weft.frontend.options import FrontendOptions
from weft.frontend.semantics.values import TensorValue
from weft.ir.rewriting import Builder


class EmissionContext:
    """The base class of `Emitter`, which its parts can depend on.

    Attributes:
        builder: Inserts operations; shared with the lowering of the syntax tree, which sets its
            insertion point and location.
        options: The properties of target and launch.
    """

    def __init__(self, builder: Builder, options: FrontendOptions) -> None:
        self.builder = builder
        self.options = options

    def match_layouts(self, a: TensorValue, b: TensorValue) -> tuple[TensorValue, TensorValue]:
        """Give two blocks of a Gluon kernel one layout; only its emitter can."""
        raise CompilationError(
            "a block with a layout outside of a Gluon kernel",
            found=f"{a} and {b}",
            hint="decorate the kernel with gluon.jit",
        )
