"""LLVM IR as text: types and constants, a writer of instructions, and bitcode libraries to link."""
