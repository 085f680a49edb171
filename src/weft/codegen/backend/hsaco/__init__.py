"""Code objects: the shared object that AMD's loader takes, linked from the object that LLVM emits.

    link(machine.emit(lower(module), "object"))        # bytes of an hsaco

elf       what an ELF file is made of, as numbers and as records
objects   reading a relocatable object
linker    laying out the parts, fitting the relocations, writing the file
"""

from __future__ import annotations

from weft.codegen.backend.hsaco.linker import link

__all__ = ["link"]
