"""Memory accesses and atomics that both vendors write as plain LLVM IR."""
