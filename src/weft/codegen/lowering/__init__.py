"""Lowering of TTGIR to LLVM IR: a file for each group of operations.

module             a module, its functions and their signatures
registry           the lowering of each operation, by its name
common/            the state of a function, indices, memory descriptors, scratch memory …
float_conversion/  conversions between float types, those of 8 bits included
elementary/        elementary functions of 32-bit floats
amd/, nvidia/      operations and instructions of one vendor
"""
