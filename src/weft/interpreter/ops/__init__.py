"""What each operation of the IR does, one file per family. Importing this fills the table."""

from weft.interpreter.ops import (
    atomics,
    blocks,
    casts,
    cf,
    compare,
    dot,
    extern,
    floats,
    gather,
    integers,
    math,
    memory,
    program,
    reduction,
    scf,
    shape,
)

__all__ = [
    "atomics",
    "blocks",
    "casts",
    "cf",
    "compare",
    "dot",
    "extern",
    "floats",
    "gather",
    "integers",
    "math",
    "memory",
    "program",
    "reduction",
    "scf",
    "shape",
]
