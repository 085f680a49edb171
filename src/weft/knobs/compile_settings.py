"""Identify the values of the settings that compiled code depends on.

A kernel that is loaded was compiled for one number; after a change it is compiled again:

    CompileSettings.current()                  # 1
    knobs.language.fp32_default = "ieee"       # CompileSettings.number == 0
    CompileSettings.current()                  # 2
    knobs.language.fp32_default = None
    CompileSettings.current()                  # 1

An assignment is a change. Environment variables are read again after an assignment and after
`knobs.refresh_knobs`; reading them at each launch would take longer than the launch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import ClassVar

__all__ = ["CompileSettings"]

_SETTINGS = (
    ("amd", "buffer_ops_analyze_small_tensor_range"),
    ("amd", "scalarize_packed_fops"),
    ("amd", "swap_mir"),
    ("amd", "use_async_copy"),
    ("amd", "use_block_pingpong"),
    ("amd", "use_buffer_atomics"),
    ("amd", "use_buffer_ops"),
    ("amd", "use_in_thread_transpose"),
    ("cache", "override_dir"),
    ("compilation", "disable_line_info"),
    ("compilation", "enable_asan"),
    ("compilation", "instrumentation_mode"),
    ("compilation", "layouts"),
    ("compilation", "override"),
    ("compilation", "use_ir_loc"),
    ("language", "default_fp_fusion"),
    ("language", "fp32_default"),
    ("nvidia", "disable_ptxas_opt"),
    ("nvidia", "libdevice_path"),
    ("nvidia", "mock_ptx_version"),
    ("nvidia", "ptxas"),
    ("nvidia", "ptxas_blackwell"),
    ("nvidia", "ptxas_options"),
    ("runtime", "add_stages_inspection_hook"),
    ("runtime", "debug"),
    ("runtime", "interpret"),
    ("runtime", "override_arch"),
)
_OTHER_VARIABLES = ("DISABLE_LLVM_OPT", "LLVM_PASS_PLUGIN_PATH", "WEFT_DEVICE_LIBRARIES")


class CompileSettings:
    """The values of the settings that compilation depends on, as a number.

    Attributes:
        number: Identifies the values; 0 after an assignment, until `current` reads them.
    """

    number: ClassVar[int] = 0
    _numbers: ClassVar[dict[tuple[object, ...], int]] = {}

    @classmethod
    def current(cls) -> int:
        """Get the number of the current values; equal values have equal numbers.

        The digest of `add_stages_inspection_hook` is one of them, and the hook is asked each time.
        """
        if cls.number:
            return cls.number
        values, hook = cls._values(), cls._stages_hook()
        if hook is not None:
            return cls._number_of((*values, hook()))
        cls.number = cls._number_of(values)
        return cls.number

    @classmethod
    def _number_of(cls, values: tuple[object, ...]) -> int:
        return cls._numbers.setdefault(values, len(cls._numbers) + 1)

    @staticmethod
    def _stages_hook() -> Callable[[], object] | None:
        return sys.modules["weft.knobs"].runtime.add_stages_inspection_hook

    @staticmethod
    def _values() -> tuple[object, ...]:
        knobs = sys.modules["weft.knobs"]
        values: list[object] = [os.environ.get(name) for name in _OTHER_VARIABLES]
        for group_name, name in _SETTINGS:
            group = getattr(knobs, group_name)
            value = vars(group).get(name)
            names = type(group).__dict__[name].names if value is None else ()
            values += (value, *map(os.environ.get, names))
        return tuple(values)
