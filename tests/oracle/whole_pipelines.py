"""Whole pipelines beside Triton's: to final TTGIR, from Triton's TTIR and from Python source.

Each kernel is compiled at the options of its entry in CASES, and at variants of them: every number
of stages, of warps and of CTAs. A compile that Triton refuses or whose process it ends is counted,
and not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from tests.oracle import client, weft_side
from tests.oracle.compare import Comparison
from tests.oracle.corpus import is_for, name
from tests.oracle.decisions import decision_of
from tests.oracle.layout_passes import compared
from tests.oracle.tally import Tally
from weft.targets import target as lookup

Options = Mapping[str, object]

VARIANTS: tuple[Options, ...] = (
    {},
    *({"num_stages": count} for count in (1, 2, 3, 4, 5)),
    *({"num_warps": count} for count in (1, 2, 4, 8)),
    {"num_ctas": 2},
)


@dataclass(frozen=True, slots=True)
class Whole:
    """One compile.

    Attributes:
        path: The kernel file.
        index: The entry of its CASES.
        target: The target.
        options: The options that replace those of the entry.
    """

    path: Path
    index: int
    target: str
    options: Options = field(default_factory=dict)

    def __str__(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in self.options.items())
        return "-".join(
            part for part in (name(self.path, self.index, self.target), options) if part
        )

    @property
    def kind(self) -> str:
        """What the kernel or its options ask for: a row of the table."""
        if self.path.stem.startswith("warp_specialized"):
            return "warp specialization"
        if "num_ctas" in self.options:
            return "2 CTAs"
        return "other options" if self.options else "own options"

    @property
    def decision(self) -> str | None:
        """Why the IR is not Triton's on purpose, None if it should be."""
        return decision_of((self.path, self.index, self.target))


def variants_of(
    cases: Iterable[tuple[Path, int]], target: str, every: int = 1
) -> tuple[Whole, ...]:
    """List the compiles of a target: all variants of each case that is for it.

    Args:
        cases: (kernel file, entry) of each case.
        target: The target.
        every: Take each N-th variant only, another one of each case.
    """
    has_clusters = lookup(target).max_num_ctas > 1
    variants = [each for each in VARIANTS if has_clusters or "num_ctas" not in each]
    compiles = [
        Whole(path, index, target, options)
        for path, index in cases
        if is_for(path, index, target)
        for options in variants
    ]
    return tuple(compiles[::every])


class Refused(Exception):
    """Triton does not compile the kernel."""


def compare_whole(triton: client.Triton, whole: Whole) -> tuple[Comparison, Comparison]:
    """Compare final TTGIR.

    Returns:
        The comparison from Triton's TTIR, and that from source.

    Raises:
        Refused: Triton refuses the kernel or ends its process.
    """
    try:
        texts = triton.whole(whole.path, whole.index, whole.target, whole.options)
    except client.TritonError as error:
        raise Refused(str(error)) from error
    options = weft_side.case_options(whole.path, whole.index, whole.target) | dict(whole.options)
    from_ttir = weft_side.run_stage(texts["ttir"], "final", whole.target, options)
    from_source = weft_side.stage(whole.path, whole.index, whole.target, "ttgir", whole.options)
    return (
        compared(triton, texts["ttgir"], from_ttir),
        compared(triton, texts["ttgir"], from_source),
    )


def tallies(triton: client.Triton, compiles: Sequence[Whole]) -> dict[str, Tally]:
    """Compare compiles, some rows for each target.

    The rows: at the options of CASES, at others, at two CTAs, for which plan-cta divides tensors
    by separate rules, and of warp-specialized kernels; from Triton's TTIR and from source.
    """
    rows: dict[str, Tally] = {}
    for whole in compiles:
        for label, result in _results(triton, whole):
            row = rows.setdefault(label, Tally())
            if isinstance(result, str):
                row.notes.append(f"{whole}: {result}")
            else:
                row.add(str(whole), lambda result=result: _raise_errors(result))
    return dict(sorted(rows.items()))


def _results(
    triton: client.Triton, whole: Whole
) -> Iterator[tuple[str, Comparison | Exception | str]]:
    """Yield (row, comparison, error or remark) of one compile."""
    if whole.decision:
        yield f"{whole.target}: decided otherwise", whole.decision
        return
    labels = [f"{whole.target}, {whole.kind}, from {start}" for start in ("TTIR", "source")]
    try:
        for label, result in zip(labels, compare_whole(triton, whole), strict=True):
            yield label, result
    except Refused as error:
        yield f"{whole.target}: refused by Triton", str(error)
    except Exception as error:  # an error of weft is a difference
        for label in labels:
            yield label, error


def _raise_errors(result: Comparison | Exception) -> Comparison:
    if isinstance(result, Exception):
        raise result
    return result


def show_counts(console: Console, rows: Mapping[str, Tally]) -> None:
    """Print `N of M identical` for each target, over all of its rows."""
    for target in dict.fromkeys(label.partition(",")[0].partition(": ")[0] for label in rows):
        own = [row for label, row in rows.items() if label.startswith(f"{target},")]
        texts, same = sum(row.texts for row in own), sum(row.identical_texts for row in own)
        others = [
            f"{len(row.notes)} {label.partition(': ')[2]}"
            for label, row in rows.items()
            if label.startswith(f"{target}: ")
        ]
        console.print("; ".join([f"{target}: {same} of {texts} identical", *others]))
