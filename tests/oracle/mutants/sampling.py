"""Choose programs and mutants: the same for the same modules and seed.

Programs are grouped by operation; in a group, those with other types and attributes count as other
programs. Mutants are grouped by operation and rule, and each group gives about as many, so that
operations that are rare in the modules are not lost among additions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.oracle.mutants.mutations import Mutation, mutations
from tests.oracle.mutants.programs import Program, programs
from tests.oracle.mutants.type_texts import shaped
from weft.errors import WeftError
from weft.ir.text import parse_module

UNCHANGED = "unchanged"
"""The rule of a program without a change, which both sides accept."""

ENCODINGS = 24
"""At most so many encodings of a module's number of warps are tried in place of another."""

LARGEST_STRATUM = 32
"""At most so many mutants of one operation and rule."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed program.

    Attributes:
        op: The name of the operation of the program.
        rule: What was changed.
        text: The module.
    """

    op: str
    rule: str
    text: str


def collect(texts: Iterable[str], wanted: Callable[[str], bool]) -> dict[str, list[Program]]:
    """Cut modules into programs.

    Args:
        texts: The modules.
        wanted: Whether an operation counts, by its name.

    Returns:
        Different programs by the name of their operation.
    """
    groups: dict[str, dict[str, Program]] = {}
    for text in texts:
        try:
            module = parse_module(text)
        except WeftError:
            continue
        for program in programs(module):
            name = program.node.name
            if wanted(name):
                groups.setdefault(name, {}).setdefault(program.signature(), program)
    return {name: list(groups[name].values()) for name in sorted(groups)}


def encodings_of(groups: dict[str, list[Program]], seed: int) -> dict[str, tuple[str, ...]]:
    """Choose encodings by the number of warps and threads of the module they are from."""
    pools: dict[str, dict[str, None]] = {}
    for group in groups.values():
        for program in group:
            pool = pools.setdefault(_hierarchy(program), {})
            for text in program.types.values():
                parts = shaped(text)
                if parts is not None and parts.parameters:
                    pool.setdefault(parts.parameters[0])
    result: dict[str, tuple[str, ...]] = {}
    for hierarchy, pool in pools.items():
        kinds: dict[str, list[str]] = {}
        for text in sorted(pool):
            kinds.setdefault(text.partition("<")[0], []).append(text)
        chosen: list[str] = []
        for kind, texts in kinds.items():
            count = max(2, ENCODINGS // len(kinds))
            chosen += _sample(texts, count, f"{seed} {hierarchy} {kind}")
        result[hierarchy] = tuple(chosen)
    return result


def _hierarchy(program: Program) -> str:
    keys = ("ttg.num-warps", "ttg.threads-per-warp")
    return " ".join(program.module_attributes.get(key, "") for key in keys)


def _sample(items: Sequence[str], count: int, key: str) -> list[str]:
    return random.Random(key).sample(items, min(count, len(items)))


def sample(
    groups: dict[str, list[Program]], *, count: int, seed: int, programs_per_op: int
) -> Iterator[Mutant]:
    """Choose mutants of programs.

    Args:
        groups: Programs by operation.
        count: About how many mutants to choose.
        seed: A number that changes the choice.
        programs_per_op: At most so many programs of one operation are changed.
    """
    pools = encodings_of(groups, seed)
    strata: dict[tuple[str, str], _Stratum] = {}
    for name, group in groups.items():
        chooser = random.Random(f"{seed} {name}")
        for program in chooser.sample(group, min(programs_per_op, len(group))):
            unchanged = Mutation(UNCHANGED, program.copy)
            for mutation in (unchanged, *mutations(program, pools[_hierarchy(program)])):
                key = name, mutation.rule
                stratum = strata.get(key)
                if stratum is None:
                    strata[key] = stratum = _Stratum(random.Random(f"{seed} {name} {key[1]}"))
                stratum.add(mutation)
    share = _share([len(stratum.chosen) for stratum in strata.values()], count)
    seen: set[str] = set()
    for (name, rule), stratum in strata.items():
        stratum.chooser.shuffle(stratum.chosen)
        for mutation in stratum.chosen[:share]:
            text = mutation.apply().text()
            if text not in seen:
                seen.add(text)
                yield Mutant(name, rule, text)


@dataclass(slots=True)
class _Stratum:
    """A random choice of the mutations of one operation by one rule (reservoir sampling).

    Attributes:
        chooser: The source of random numbers.
        chosen: The mutations chosen so far.
        count: The number of mutations so far.
    """

    chooser: random.Random
    chosen: list[Mutation] = field(default_factory=list)
    count: int = 0

    def add(self, mutation: Mutation) -> None:
        """Choose a mutation with the probability that all have."""
        self.count += 1
        if len(self.chosen) < LARGEST_STRATUM:
            self.chosen.append(mutation)
        elif (index := self.chooser.randrange(self.count)) < LARGEST_STRATUM:
            self.chosen[index] = mutation


def _share(sizes: Sequence[int], count: int) -> int:
    """Compute the size to cut groups to so that about `count` items remain."""
    share = 1
    while sum(min(size, share) for size in sizes) < count and share < max(sizes, default=1):
        share += 1
    return share
