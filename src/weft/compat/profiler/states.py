"""`triton.profiler.state`: names of what the kernels of a scope do.

with state("load"):
    kernel[grid](…)          # counts as load/kernel
"""

from __future__ import annotations

from weft.compat.profiler.scopes import enter_scope, exit_scope, scope
from weft.compat.unsupported import unsupported_names

__all__ = ["COMPUTE_METADATA_SCOPE_NAME", "enter_state", "exit_state", "metadata_state", "state"]

__getattr__ = unsupported_names("triton.profiler.state", "triton.profiler.scope nests")

COMPUTE_METADATA_SCOPE_NAME = "__proton_launch_metadata"
"""The name under which launches of `launch_metadata` functions count."""


class state(scope):
    """A scope without metrics.

    Attributes:
        name: The name.
    """

    def __init__(self, name: str, metrics: None = None) -> None:
        super().__init__(name)


class metadata_state(state):
    """The state of computing the metadata of launches."""

    def __init__(self, name: str = COMPUTE_METADATA_SCOPE_NAME, metrics: None = None) -> None:
        super().__init__(name)


def enter_state(name: str) -> None:
    """Enter a state: what follows counts under its name."""
    enter_scope(name)


def exit_state() -> None:
    """Leave the innermost state."""
    exit_scope()
