"""Settings that compilation refuses, since weft lacks the effect that they ask for.

    knobs.nvidia.mock_ptx_version = "8.0"
    matmul[grid](…)    # LaunchError: Triton's knob nvidia.mock_ptx_version is not supported

They would change the code or add checks to it: a kernel without the checks would seem to pass them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from weft.errors import warn_ignored
from weft.knobs.descriptors import is_off

__all__ = ["REFUSED_VARIABLES", "UnsupportedSetting", "unsupported_settings", "warn_of_variables"]

# Environment variable of Triton that is no knob: what to do instead.
REFUSED_VARIABLES = {
    "DISABLE_LLVM_OPT": "`weft compile --emit llir` has the IR before LLVM optimizes it",
    "LLVM_PASS_PLUGIN_PATH": "`weft.passes` registers passes over the IR of weft",
}


@dataclass(frozen=True, slots=True)
class UnsupportedSetting:
    """A setting that asks for an effect that weft lacks.

    Attributes:
        kind: "knob" or "environment variable".
        name: "compilation.instrumentation_mode", or the name of the variable.
        found: The assignment, or the variable and its text.
        hint: What to do instead.
    """

    kind: str
    name: str
    found: str
    hint: str


def unsupported_settings(groups: Iterable[str]) -> Iterator[UnsupportedSetting]:
    """Yield the settings of some groups that ask for an effect that weft lacks.

    Args:
        groups: Names of groups: "compilation", "nvidia", …; "" for the variables that are no knobs.
    """
    for group_name in groups:
        if not group_name:
            yield from _variables()
            continue
        group = getattr(sys.modules["weft.knobs"], group_name)
        for name, setting in vars(type(group)).items():
            hint = getattr(setting, "refused", "")
            if not hint or not (value := getattr(group, name)):
                continue
            variable = next((each for each in setting.names if each in os.environ), "")
            assignment = f"knobs.{group_name}.{name} = {value!r}"
            if variable and name not in vars(group):
                assignment = f"{variable}={os.environ[variable]}"
            yield UnsupportedSetting("knob", f"{group_name}.{name}", assignment, hint)


def _variables() -> Iterator[UnsupportedSetting]:
    for name, hint in REFUSED_VARIABLES.items():
        text = os.environ.get(name, "")
        if not is_off(text):
            yield UnsupportedSetting("environment variable", name, f"{name}={text}", hint)


def warn_of_variables(groups: Iterable[str]) -> None:
    """Warn of the environment variables of some groups that are set and have no effect."""
    for group_name in filter(None, groups):
        group = getattr(sys.modules["weft.knobs"], group_name)
        for setting in group.knob_descriptors.values():
            if setting.ignored and setting.name not in vars(group) and os.environ.get(setting.key):
                name = setting.key
                warn_ignored(f"the environment variable {name} has no effect: {setting.ignored}")
