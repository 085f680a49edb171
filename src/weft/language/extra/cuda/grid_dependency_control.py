"""Programmatic dependent launch of NVIDIA targets (PTX `griddepcontrol`), from sm_90 on."""

from __future__ import annotations

from weft.language.builtin import builtin_of

_declare = builtin_of("extra.cuda")


@_declare
def gdc_wait():
    """Wait until the prerequisite grids have completed and their writes are visible.

    Has no effect unless the kernel is launched with the option `launch_pdl`.
    """


@_declare
def gdc_launch_dependents():
    """Allow dependent grids to launch once all programs of this grid have called it or exited.

    A hint; calls after a program's first have no effect.
    """
