"""Link AMD code objects: the shared object that AMD's loader takes, from LLVM's relocatable object.

    link(machine.emit(lower(module), "object"))        # bytes of an hsaco

elf       numbers and record formats of ELF files
objects   reading a relocatable object
linker    section layout, relocations, writing the shared object
"""

from __future__ import annotations

from weft.codegen.backend.hsaco.linker import link

__all__ = ["link"]
