"""A compiled kernel as HTML for notebooks: the page about its TTGIR."""

from __future__ import annotations

from typing import Protocol

from weft.compiler.metadata import KernelMetadata
from weft.errors import WeftError
from weft.ir.builtin import ModuleOp
from weft.notebook import KERNELS, preformatted
from weft.report.html_page import page_of
from weft.report.view import view_of_module

__all__ = ["kernel_html"]


class _CompiledKernel(Protocol):
    """The IR of a kernel by stage."""

    @property
    def metadata(self) -> KernelMetadata: ...

    def module(self, stage: str) -> ModuleOp: ...


@KERNELS.register("kernel")
def kernel_html(kernel: _CompiledKernel) -> str:
    """Show the page of `weft report`; the kernel's line if it has no layouts.

    The kernel keeps no reasons, as its passes have run: `weft.report.report` compiles with them.
    """
    try:
        module = kernel.module("ttgir")
    except WeftError:
        return preformatted(repr(kernel))  # for the CPU device, or not compiled that far
    options = kernel.metadata.options
    view = view_of_module(module, kernel.metadata.name, options=options)
    return page_of([view])._repr_html_()
