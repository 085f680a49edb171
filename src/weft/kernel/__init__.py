"""Decorated kernels: `weft.jit`, `weft.compile` and what they return.

jit.py                 the decorator; a kernel that is launched with `kernel[grid](…)`
specialization.py      the signature of a launch, read off its arguments
specialization_key.py  the same as a cheap dictionary key
launch_cache.py        generated code that finds the loaded kernel of a repeated launch
compile.py             compile for a target without launching; compiled_kernel.py
files.py               the kernels that a Python file defines
"""
