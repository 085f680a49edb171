"""Compile options: names, defaults and ranges; one row each.

    num_warps=8, num_stages=3       every target
    maxnreg=128                     cuda only
    waves_per_eu=2, kpack=2         hip only

A kernel that is launched on the embedded CPU device may carry the options of any target, since it
is the same kernel: they are checked and kept, and change nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from weft.errors import LaunchError, did_you_mean

if TYPE_CHECKING:
    from weft.targets import Target

CPU = "cpu"
MOST_WARPS = 64  # of a block, on any chip


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Hold every option; those of other targets have their defaults.

    Args: num_warps, num_ctas, num_stages: warps per block, blocks per cluster, pipeline depth.
          debug: keep device_assert.  sanitize_overflow: check integer overflow, if debug.
          enable_fp_fusion: contract a·b + c.  launch_cooperative_grid: all programs at once.
          maxnreg: registers per thread, None: no limit.  launch_pdl: dependent launch (cuda).
          waves_per_eu: occupancy to aim at, 0: none.  matrix_instr_nonkdim: 0, 4, 16 or 32, the
          m and n of MFMA, 0: chosen.  kpack: 1 or 2.  allow_flush_denorm, schedule_hint (hip).
    """

    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    debug: bool = False
    sanitize_overflow: bool = True
    enable_fp_fusion: bool = True
    launch_cooperative_grid: bool = False
    maxnreg: int | None = None
    launch_pdl: bool = False
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    schedule_hint: str = "none"

    def as_dict(self) -> dict[str, Any]:
        """Return name → value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


ALL_OPTIONS: tuple[str, ...] = tuple(field.name for field in fields(CompileOptions))

_BACKENDS = {
    "maxnreg": ("cuda",),
    "launch_pdl": ("cuda",),
    "waves_per_eu": ("hip",),
    "matrix_instr_nonkdim": ("hip",),
    "kpack": ("hip",),
    "allow_flush_denorm": ("hip",),
    "schedule_hint": ("hip",),
}


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _power_of_two(most: int) -> Callable[[Any], bool]:
    return lambda value: _is_int(value) and 0 < value <= most and not value & (value - 1)


def _from(least: int) -> Callable[[Any], bool]:
    return lambda value: _is_int(value) and value >= least


_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "num_warps": (_power_of_two(MOST_WARPS), "1, 2, 4, 8, 16, 32, 64"),
    "num_ctas": (_power_of_two(16), "1, 2, 4, 8, 16"),
    "num_stages": (_from(0), "an int from 0"),
    "maxnreg": (lambda value: value is None or _from(1)(value), "an int from 1, None"),
    "waves_per_eu": (_from(0), "an int from 0"),
    "matrix_instr_nonkdim": (lambda value: value in (0, 4, 16, 32), "0, 4, 16, 32"),
    "kpack": (lambda value: _is_int(value) and value in (1, 2), "1, 2"),
    "schedule_hint": (lambda value: isinstance(value, str), "a text"),
}
_FLAG = (lambda value: isinstance(value, bool), "True, False")


def options_for(chip: Target, given: Mapping[str, Any]) -> CompileOptions:
    """Check options for a chip and fill in its defaults.

    Args: given: name → value; a value None means the default.
    Raises: LaunchError: an unknown option (near names), one of another back end, a bad value.
    """
    values: dict[str, Any] = {
        "num_warps": chip.default_num_warps,
        "num_stages": chip.default_num_stages,
    }
    known = [name for name in ALL_OPTIONS if _is_known(name, chip.backend)]
    for name, value in given.items():
        if name not in known:
            raise _unknown(name, known, chip.name)
        if value is not None:
            values[name] = _checked(name, value)
    if chip.backend != CPU and values.get("num_ctas", 1) > chip.max_num_ctas:
        raise LaunchError(
            f"{chip} has no clusters of {values['num_ctas']} blocks",
            found=f"num_ctas={values['num_ctas']}",
            accepted=[f"num_ctas={n}" for n in (1, 2, 4, 8, 16) if n <= chip.max_num_ctas],
        )
    return CompileOptions(**values)


def _is_known(name: str, backend: str) -> bool:
    return backend in (CPU, *_BACKENDS.get(name, (backend,)))


def _checked(name: str, value: Any) -> Any:
    fits, accepted = _CHECKS.get(name, _FLAG)
    if not fits(value):
        power = " must be a power of two" if accepted.startswith("1, 2, 4") else " is out of range"
        raise LaunchError(
            f"option {name}{power}", found=f"{name}={value!r}", accepted=accepted.split(", ")
        )
    return value


def _unknown(name: str, known: list[str], target: str) -> LaunchError:
    owners = _BACKENDS.get(name)
    message = f"option {name} is for {' and '.join(owners)}" if owners else f"unknown option {name}"
    return LaunchError(
        f"{message}; the target is {target}" if owners else message,
        found=name,
        accepted=known,
        hint=None if owners else did_you_mean(name, known),
    )
