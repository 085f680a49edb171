"""Special registers of NVIDIA targets, and the number of threads and warps."""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("extra.cuda")


@_declare
def globaltimer():
    """Read the global timer in nanoseconds, as int64 (PTX `%globaltimer`)."""


@_declare
def smid():
    """Read the index of the multiprocessor that runs this program, as int32 (PTX `%smid`)."""


@_declare
def num_threads():
    """Return the number of threads of a program, a constant."""


@_declare
def num_warps():
    """Return the number of warps of a program, a constant."""
