"""The state that every function of this package emits operations with."""

from __future__ import annotations

from weft.frontend.options import FrontendOptions
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
