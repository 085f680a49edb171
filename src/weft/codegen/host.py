"""Machine code for the processor that Python itself runs on, in this process.

    made = compiled_here(text, {"PyList_Size": address})
    made.address("launch")

Only text that weft carries with it is compiled here: what LLVM does not survive would take the
program along. Kernels go to a process of their own (machine.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from weft.errors import CodegenError

__all__ = ["HostCode", "compiled_here"]

_LEVEL = 2


@dataclass(frozen=True, slots=True)
class HostCode:
    """Compiled functions; they are there as long as this is."""

    engine: Any

    def address(self, name: str) -> int:
        """Return where a function starts."""
        return int(self.engine.get_function_address(name))


def compiled_here(text: str, symbols: Mapping[str, int]) -> HostCode:
    """Compile LLVM IR for this processor.

    Args: symbols: the addresses of the functions that the text declares and does not define.
    Raises: CodegenError: LLVM refuses the text.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    machine = llvm.Target.from_default_triple().create_target_machine(opt=_LEVEL)
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.data_layout = str(machine.target_data)
        module.verify()
    except RuntimeError as error:
        raise CodegenError("LLVM refuses code for this processor", found=str(error)) from None
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(_LEVEL))
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return HostCode(engine)
