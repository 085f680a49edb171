"""Dependent launches of NVIDIA targets: a kernel that begins before the one ahead of it ends."""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("extra.cuda")


@_declare
def gdc_wait():
    """Wait until the kernels ahead have ended and what they wrote can be read.

    Without a dependent launch (option launch_pdl) nothing is waited for. From sm_90 on.
    """


@_declare
def gdc_launch_dependents():
    """Let the kernel that depends on this one begin, once all programs have said so or ended.

    A hint; only the first call counts. From sm_90 on.
    """
