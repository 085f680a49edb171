"""From LLVM IR to machine code: LLVM in a worker process, ptxas, and the linker of code objects."""
