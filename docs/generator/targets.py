"""docs/reference/targets.md: the chips and their facts."""

from __future__ import annotations

from docs.generator.docstrings import parse
from docs.generator.markdown import code, field_annotations, page, table
from weft.targets import Target, derived_targets, known_targets, target
from weft.targets.boards import boards
from weft.targets.loading import chip_folder

__all__ = ["render"]

_LEFT_OUT = ("backend", "arch", "description", "banks", "realtime_clock")
_VENDORS = {"cuda": "NVIDIA", "hip": "AMD", "cpu": "CPU device"}


def render() -> str:
    """Render the page."""
    facts = parse(Target).sections["Attributes"]
    return page(
        "Targets",
        "The facts of [`src/weft/targets/chips`](../../src/weft/targets/chips), which also names "
        "the source of each. [Adding a target](../guides/add_a_target.md) shows how to add a chip.",
        *(_vendor(backend) for backend in _VENDORS),
        "## Meaning of the facts",
        table(("fact", "meaning"), ([code(name), text] for name, text in facts.items())),
    )


def _vendor(backend: str) -> str:
    chips = [chip for chip in map(target, known_targets()) if chip.backend == backend]
    folders = {chip.name: chip_folder(chip.name) for chip in chips}
    names = [
        f"[`{chip.name}`](../../src/weft/targets/chips/{folders[chip.name]}/chip.toml)"
        for chip in chips
    ]
    rows = [["chip", *(chip.description for chip in chips)]]
    rows += [
        [code(name), *(_value(getattr(chip, name)) for chip in chips)]
        for name in field_annotations(Target)
        if name not in _LEFT_OUT
    ]
    return "\n\n".join(
        filter(None, [
            f"## {_VENDORS[backend]}",
            table(("fact", *names), rows),
            _derived(backend),
            _boards(chips),
        ])
    )  # fmt: skip


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "–"
    return str(value) if value != "" else "–"


def _derived(backend: str) -> str:
    """Tabulate the chips that have the facts of another one."""
    rows = [
        [code(name), target(name).description, code(base)]
        for name, base in derived_targets().items()
        if target(name).backend == backend
    ]
    return table(("derived chip", "product", "facts of"), rows) if rows else ""


def _boards(chips: list[Target]) -> str:
    names = [
        [code(chip.name), ", ".join(board.name for board in boards(chip.name))]
        for chip in chips
        if boards(chip.name)
    ]
    return table(("chip", "boards whose peak rates `weft bench` has"), names) if names else ""
