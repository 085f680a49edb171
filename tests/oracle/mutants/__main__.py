"""The command line of the comparison by mutation."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.oracle.mutants.reasons import reason
from tests.oracle.mutants.sampling import Mutant, collect, sample
from tests.oracle.mutants.sources import dialect_modules, recorded_modules
from tests.oracle.mutants.verdicts import Verdict, ask_weft, ask_wheel

OUTCOMES = ("both accept", "both refuse", "wheel refuses", "weft refuses")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdicts on a mutant."""

    mutant: Mutant
    weft: Verdict
    wheel: Verdict

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`; "wheel refuses" and "weft refuses" say that the other accepts."""
        if self.weft.accepted == self.wheel.accepted:
            return "both accept" if self.weft.accepted else "both refuse"
        return "wheel refuses" if self.weft.accepted else "weft refuses"


def compare(mutants: Sequence[Mutant]) -> list[Comparison]:
    """Ask both sides about mutants."""
    wheel = ask_wheel([mutant.text for mutant in mutants])
    return [
        Comparison(mutant, ask_weft(mutant.text), verdict)
        for mutant, verdict in zip(mutants, wheel, strict=True)
    ]


def print_table(comparisons: Sequence[Comparison], *, every: bool) -> None:
    """Print the outcomes by operation and rule, those without a disagreement only if `every`."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for comparison in comparisons:
        key = comparison.mutant.op, comparison.mutant.rule
        counts.setdefault(key, Counter())[comparison.outcome] += 1
    print(f"{'operation':34}{'rule':54}" + "".join(f"{name:>15}" for name in OUTCOMES))
    for (op, rule), counter in counts.items():
        if every or counter["wheel refuses"] or counter["weft refuses"]:
            print(f"{op:34}{rule:54}" + "".join(f"{counter[name]:15}" for name in OUTCOMES))
    total = Counter(comparison.outcome for comparison in comparisons)
    print(f"{'all':34}{len(comparisons):<54}" + "".join(f"{total[name]:15}" for name in OUTCOMES))
    reasons: Counter[tuple[str, str]] = Counter()
    for comparison in comparisons:
        if comparison.outcome in OUTCOMES[2:]:
            message = comparison.weft.message or comparison.wheel.message
            why = reason(message, weft=comparison.wheel.accepted)
            reasons[comparison.outcome, why or "NO REASON"] += 1
    for (outcome, why), count in reasons.most_common():
        print(f"{count:6} {outcome}: {why}")
    crashes = sum(comparison.weft.crashed for comparison in comparisons)
    print(f"exceptions of weft that are no errors about the module: {crashes}")


def print_examples(comparisons: Sequence[Comparison], count: int) -> None:
    """Print up to `count` disagreements per operation and message, and weft's exceptions."""
    shown: Counter[tuple[str, ...]] = Counter()
    for comparison in comparisons:
        agree = comparison.weft.accepted == comparison.wheel.accepted
        if agree and not comparison.weft.crashed:
            continue
        refusal = comparison.wheel if comparison.weft.accepted else comparison.weft
        key = (comparison.mutant.op, comparison.outcome, refusal.message[:24])
        shown[key] += 1
        if shown[key] > count:
            continue
        print(f"--- {comparison.mutant.op}, {comparison.mutant.rule}: {comparison.outcome}")
        print(f"    {refusal.message}")
        print(comparison.mutant.text)


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--dialect", action="append", default=[], help="change operations of this dialect")
    add("--op", action="append", default=[], help="change this operation")
    add("--rule", default="", help="only mutants whose rule contains this text")
    add("--modules", type=Path, action="append", default=[], help="a file or folder of IR")
    add("--files", type=int, default=100, help="at most so many files of --modules")
    add("--count", type=int, default=2000, help="about so many mutants")
    add("--programs", type=int, default=12, help="programs per operation")
    add("--seed", type=int, default=0)
    add("--every", action="store_true", help="print rows without a disagreement, too")
    add("--show", type=int, default=0, help="print so many mutants per operation and message")
    add("--save", type=Path, help="write mutants and verdicts to this file, one JSON per line")
    options = parser.parse_args()

    def wanted(name: str) -> bool:
        if not options.dialect and not options.op:
            return True
        return name in options.op or name.partition(".")[0] in options.dialect

    texts = [
        *dialect_modules(),
        *recorded_modules(options.modules, limit=options.files, seed=options.seed),
    ]
    groups = collect(texts, wanted)
    mutants = [
        mutant
        for mutant in sample(
            groups, count=options.count, seed=options.seed, programs_per_op=options.programs
        )
        if options.rule in mutant.rule
    ]
    comparisons = compare(mutants)
    if options.save:
        with options.save.open("w") as file:
            for each in comparisons:
                entry = {
                    "op": each.mutant.op,
                    "rule": each.mutant.rule,
                    "outcome": each.outcome,
                    "weft": each.weft.message,
                    "wheel": each.wheel.message,
                    "text": each.mutant.text,
                }
                file.write(json.dumps(entry) + "\n")
    print_examples(comparisons, options.show)
    print_table(comparisons, every=options.every)


if __name__ == "__main__":
    main()
