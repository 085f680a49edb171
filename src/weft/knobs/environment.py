"""Environment variables of Triton or weft that are set and that weft does not read."""

from __future__ import annotations

import os
import sys

from weft.errors import did_you_mean

__all__ = ["IGNORED", "unread_variables"]

# Variable of Triton that weft does not read: what has the same effect.
IGNORED = {
    "LLVM_ENABLE_TIMING": "`weft opt --timing` prints the time of passes",
    "MLIR_ENABLE_TIMING": "`weft opt --timing` prints the time of passes",
}


def unread_variables() -> dict[str, str]:
    """List the environment variables of Triton or weft that are set and that weft does not read.

    Returns:
        By name, what has the same effect; "" if nothing has.
    """
    knobs = sys.modules["weft.knobs"]
    groups = [each for each in vars(knobs).values() if isinstance(each, knobs.base_knobs)]
    settings = [each for group in groups for each in group.knob_descriptors.values()]
    ignored = {each.key: each.ignored for each in settings if each.ignored} | IGNORED
    read = {name for each in settings if not each.ignored for name in each.names}
    read |= {"WEFT_AS_TRITON", "WEFT_DEVICE_LIBRARIES"}
    read |= {"TRITON_REPRODUCER_PATH", "WEFT_ENABLE_DIAGNOSTICS"}
    unread = {
        name
        for name in os.environ.keys() - read
        if (name in ignored and name != "CC") or name.startswith(("TRITON_", "WEFT_"))
    }
    ours = [name for name in read if name.startswith("WEFT_")]
    return {name: ignored.get(name) or did_you_mean(name, ours) or "" for name in sorted(unread)}
