"""Special registers of NVIDIA targets, and facts about the launch."""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("extra.cuda")


@_declare
def globaltimer():
    """Return the nanosecond clock of the device as int64."""


@_declare
def smid():
    """Return the number of the multiprocessor that runs this program, as int32."""


@_declare
def num_threads():
    """Return how many threads this program has, a constant."""


@_declare
def num_warps():
    """Return how many warps this program has, a constant."""
