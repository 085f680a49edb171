"""`weft check`: compare the costs of kernels with a baseline, for continuous integration."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import weft
from weft.cli.ir_files import DUMP, IR_FILES
from weft.cli.program_launches import launched_cases
from weft.errors import WeftError
from weft.explain import explain
from weft.explain.baseline import (
    Baseline,
    Change,
    changes,
    check_tolerances,
    load_baseline,
    save_baseline,
)
from weft.explain.inventory import launch_attributes
from weft.explain.kernel_report import parse_module_with_layouts
from weft.explain.measurement import TOTALS, Measurement, measure
from weft.explain.model import Finding, Report
from weft.kernel.files import Case, find_kernel, load_cases, load_file


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the command line; see commands/check.py."""

    files: Sequence[str]
    targets: Sequence[str]
    baseline: str
    update: bool
    registers: bool
    tolerances: Mapping[str, object]
    options: Mapping[str, object]
    launches: bool
    arguments: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A kernel of the files for one target.

    Attributes:
        name: What the baseline calls it.
        measurement: Its costs.
        explain: Reports why it has them.
    """

    name: str
    measurement: Measurement
    explain: Callable[[], Report]


def run(request: Request) -> int:
    """Compare all kernels of the files with the baseline, or record them.

    Returns:
        The exit code: 1 if a cost is worse, or a kernel of the baseline is missing.

    Raises:
        WeftError: A file cannot be read, has nothing to compile, or a kernel cannot be compiled.
    """
    path = Path(request.baseline)
    tolerances = check_tolerances(request.tolerances)
    recorded = Baseline() if request.update and not path.exists() else load_baseline(path)
    kernels = _numbered(_kernels(request))
    counts: dict[str, int] = dict.fromkeys(_VERDICTS, 0)
    for name, kernel in kernels.items():
        before = recorded.kernels.get(name)
        differences = changes(before, kernel.measurement, tolerances) if before else ()
        counts[_print_kernel(name, kernel, before is None, tuple(differences))] += 1
    missing = _missing(recorded, kernels.keys(), request)
    for name in missing:
        print(f"{name}: missing")
    counts["missing"] = len(missing)
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number))
    if request.update:
        others = {name: each for name, each in recorded.kernels.items() if name not in missing}
        new = {name: kernel.measurement for name, kernel in kernels.items()}
        save_baseline(Baseline({**others, **new}), path)
        return 0
    return 1 if counts["worse"] or missing else 0


def _numbered(kernels: Iterable[_Kernel]) -> dict[str, _Kernel]:
    """Map names to kernels; of several with the same name the second is "NAME #2"."""
    numbers: Counter[str] = Counter()
    named: dict[str, _Kernel] = {}
    for kernel in kernels:
        numbers[kernel.name] += 1
        number = numbers[kernel.name]
        named[f"{kernel.name} #{number}" if number > 1 else kernel.name] = kernel
    return named


_VERDICTS = ("worse", "better", "different", "the same", "new", "missing")


def _print_kernel(name: str, kernel: _Kernel, is_new: bool, differences: Sequence[Change]) -> str:
    """Print the costs of a kernel that differ from the baseline, and return the verdict."""
    worse = [each for each in differences if each.is_worse]
    if is_new:
        verdict = "new"
    elif not differences:
        verdict = "the same"
    elif worse:
        verdict = "worse"
    elif all(each.is_better for each in differences):
        verdict = "better"
    else:
        verdict = "different"
    if verdict != "the same":
        print(f"{name}: {verdict}")
    for each in differences:
        unit = "" if each.what in TOTALS else " bits"
        suffix = ", worse" if each.is_worse else ""
        print(f"  {each.what}: {each.before} → {each.after}{unit}{suffix}")
    if worse:
        report = kernel.explain()
        findings = dict.fromkeys(
            _finding_text(finding) for change in worse for finding in change.findings(report)
        )
        for text in findings:
            print(text)
    return verdict


def _finding_text(finding: Finding) -> str:
    line = f"line {finding.location.line}" if finding.location else "no line"
    edits = [f"    {each.summary}" for each in finding.edits]
    return "\n".join([f"  {line}: {finding.message}", *edits])


def _kernels(request: Request) -> Iterator[_Kernel]:
    """Compile each kernel for each target."""
    for file, case in _cases(request):
        for target in _targets(case, request.targets):
            yield _compile(file, case, target, request)


def _compile(file: str, case: Case, target: str | None, request: Request) -> _Kernel:
    """Compile a kernel, and count its costs.

    Raises:
        WeftError: There is no target; and all errors of `weft.compile`.
    """
    module = parse_module_with_layouts(Path(file)) if isinstance(case.kernel, str) else None
    if target is None:
        if module is None:
            raise WeftError(
                "a target is needed to compile for",
                accepted=["--target hip:gfx942", "--target cuda:90"],
            )
        target = launch_attributes(module).target
    compiled = weft.compile(
        case.kernel,
        signature=case.signature or None,
        constexprs=case.constexprs,
        target=target,
        options=case.options,
    )
    registers = (compiled.n_regs, compiled.n_spills) if request.registers else None
    return _Kernel(
        _name(file, case, compiled.name, target, request),
        measure(module or compiled.module("ttgir"), registers),
        lambda: explain(
            case.kernel,
            target=target,
            signature=case.signature or None,
            constexprs=case.constexprs,
            **case.options,
        ),
    )


def _cases(request: Request) -> Iterator[tuple[str, Case]]:
    """Yield the kernels of the files: dumps, launches of programs, or all CASES."""
    if request.arguments and not request.launches:
        raise WeftError(
            "arguments are those of a program", found=" ".join(request.arguments),
            accepted=["--launches"],
        )  # fmt: skip
    for file in request.files:
        path, _, kernel_name = file.partition("::")
        if path.endswith(IR_FILES):
            yield path, Case(path, "", {}, request.options)
        elif request.launches:
            for _, case in launched_cases(file, request.arguments, request.options):
                yield path, case
        else:
            for case in _listed_cases(path, kernel_name):
                options = {**case.options, **request.options}
                yield (
                    path,
                    Case(case.kernel, case.signature, case.constexprs, options, case.targets),
                )


def _listed_cases(path: str, kernel_name: str) -> list[Case]:
    """List the CASES of a file, of one kernel if it is named.

    Raises:
        WeftError: There are none.
    """
    module = load_file(path)
    cases = load_cases(module)
    if kernel_name:
        kernel = find_kernel(module, kernel_name)
        cases = [case for case in cases if case.kernel is kernel]
    if not cases:
        raise WeftError(
            f"{path} has no CASES of {kernel_name or 'its kernels'}",
            accepted=["CASES: tuples (kernel, signature, constexprs, options)", "--launches"],
        )
    return cases


def _targets(case: Case, targets: Sequence[str]) -> Sequence[str | None]:
    if isinstance(case.kernel, str) and case.kernel.endswith(DUMP):
        return (None,)
    if not targets:
        return (None,)  # an error that names the targets
    return [each for each in targets if not case.targets or each in case.targets]


def _name(file: str, case: Case, kernel: str, target: str, request: Request) -> str:
    """Name a kernel by its file, relative to the baseline, signature, constants and target.

    Compile options are no part of the name: another number of warps is a change to compare.
    """
    parts = [" ".join(str(case.signature).split())] if case.signature else []
    parts += [f"{name}={value}" for name, value in case.constexprs.items()]
    path = _relative(file, request.baseline)
    return f"{path}::{kernel}({'; '.join(parts)}), {target}"


def _relative(file: str, baseline: str) -> str:
    return Path(os.path.relpath(file, Path(baseline).resolve().parent)).as_posix()


def _missing(recorded: Baseline, names: Iterable[str], request: Request) -> list[str]:
    """List the kernels of the same files and targets in the baseline that were not compiled."""
    prefixes: list[str] = []
    for file in request.files:
        path, separator, kernel = file.partition("::")
        prefixes.append(f"{_relative(path, request.baseline)}::{f'{kernel}(' if separator else ''}")
    compiled = set(names)
    return [
        name
        for name in recorded.kernels
        if name.startswith(tuple(prefixes))
        and name not in compiled
        and (not request.targets or _target(name) in request.targets)
    ]


def _target(name: str) -> str:
    return name.rpartition(", ")[2].partition(" #")[0]
