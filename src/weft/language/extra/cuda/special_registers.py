"""Special registers of NVIDIA targets, and the number of threads and warps."""

from __future__ import annotations

from weft.language.builtin import builtin_of
from weft.language.extra.cuda.float8_conversions import (
    convert_custom_float8,
    convert_custom_float8_sm70,
    convert_custom_float8_sm80,
    convert_float16_to_fp8e4b15,
    convert_fp8e4b15_to_float16,
)

__all__ = [
    "convert_custom_float8",
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "convert_float16_to_fp8e4b15",
    "convert_fp8e4b15_to_float16",
    "globaltimer",
    "num_threads",
    "num_warps",
    "smid",
]

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
