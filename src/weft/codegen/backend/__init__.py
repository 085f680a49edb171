"""From LLVM IR to machine code: the LLVM worker process, ptxas, and the linker of code objects."""
