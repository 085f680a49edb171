"""Reading LLVM IR: the parser, types, inlining, and one step per instruction."""
