"""Compare the costs of kernels with a file of recorded ones.

The file is JSON, for a repository: kernels by name, in order, so that a change of costs is a
readable change of the file.

    {"kernels": {"matmul.py::matmul(*fp16:16, …), cuda:90": {
        "totals": {"conversions": 1, "bytes converted": 32768, …},
        "accesses": {"tt.load a": 128, "tt.store c": 64}}}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, field

from weft.errors import WeftError, did_you_mean
from weft.explain.measurement import TOTALS, Measurement, access_names, find_about
from weft.explain.model import Finding, Report

__all__ = ["Baseline", "Change", "changes", "check_tolerances", "load_baseline", "save_baseline"]

_FORMAT = 1


class Baseline(Struct, frozen=True):
    """Recorded costs.

    Attributes:
        kernels: The costs of each kernel by its name.
        format: The number of the file's format.
    """

    kernels: dict[str, Measurement] = field(default_factory=dict)
    format: int = _FORMAT


class Change(Struct, frozen=True):
    """One cost that differs from the recorded one.

    Attributes:
        what: The name of a total, or of an access.
        before: The recorded number.
        after: The number now.
        is_worse: Whether it is worse, and by more than the tolerance.
        is_better: Whether it is better.
    """

    what: str
    before: int
    after: int
    is_worse: bool
    is_better: bool

    def findings(self, report: Report) -> tuple[Finding, ...]:
        """Select the findings about the cost from the report of the kernel as it is now."""
        names = access_names(report.memory)
        if self.what in names:
            location = report.memory[names.index(self.what)].location
            entries = (each for each in report.findings if each.about == "memory")
            return tuple(each for each in entries if each.location == location)
        about = find_about(self.what)
        return tuple(each for each in report.findings if about in ("", each.about))


def load_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        WeftError: There is no such file, or it is no baseline.
    """
    try:
        baseline = msgspec.json.decode(path.read_bytes(), type=Baseline)
    except OSError as error:
        raise WeftError(
            "cannot read the baseline",
            found=f"{path}: {error.strerror}",
            hint="--update writes it",
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WeftError(
            f"not a baseline: {error}", found=path, hint="--update writes a baseline"
        ) from None
    if baseline.format != _FORMAT:
        raise WeftError(
            "the baseline has the format of another version of weft",
            found=f"format {baseline.format}",
            accepted=[f"format {_FORMAT}"],
        )
    return baseline


def save_baseline(baseline: Baseline, path: Path) -> None:
    """Write a baseline, sorted by the names of kernels.

    Raises:
        WeftError: The file cannot be written.
    """
    ordered = Baseline(dict(sorted(baseline.kernels.items())))
    data = msgspec.json.format(msgspec.json.encode(ordered), indent=1)
    try:
        path.write_bytes(data + b"\n")
    except OSError as error:
        raise WeftError("cannot write the baseline", found=f"{path}: {error.strerror}") from None


def check_tolerances(tolerances: Mapping[str, object]) -> dict[str, float]:
    """Check the tolerances of costs.

    Args:
        tolerances: The percentage by which a cost may be worse, by the name of the cost, with "_"
            for " " and "-".

    Raises:
        WeftError: An unknown cost, or no percentage.
    """
    names = {name.replace(" ", "_").replace("-", "_"): name for name in TOTALS}
    percentages: dict[str, float] = {}
    for name, value in tolerances.items():
        if name not in names:
            raise WeftError(
                f"unknown cost {name}", found=name, accepted=names, hint=did_you_mean(name, names)
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise WeftError(
                "a tolerance is a percentage", found=f"{name}={value}", accepted=[f"{name}=5"]
            )
        percentages[names[name]] = float(value)
    return percentages


def changes(
    recorded: Measurement, measured: Measurement, tolerances: Mapping[str, float]
) -> Iterator[Change]:
    """Yield the costs of a kernel that differ from the recorded ones.

    A cost that only one of them has is not compared: registers that were not recorded, an access
    that the kernel did not have. The totals include every access.

    Args:
        recorded: The costs of the baseline.
        measured: The costs now.
        tolerances: The percentage by which a total may be worse, 0 where there is none.
    """
    for name in TOTALS:
        before, after = recorded.totals.get(name), measured.totals.get(name)
        if before is None or after is None or before == after:
            continue
        limit = before * (1 + tolerances.get(name, 0.0) / 100)
        yield Change(name, before, after, after > limit, after < before)
    for name, after in measured.accesses.items():
        before = recorded.accesses.get(name, after)
        if before != after:
            yield Change(name, before, after, after < before, after > before)
