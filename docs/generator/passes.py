"""docs/reference/passes.md: the passes, their options, and the pipelines that run them."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import reduce
from pathlib import Path
from typing import cast

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

import weft.passes
from docs.generator.docstrings import parse
from docs.generator.markdown import code, page, table
from weft.compiler.options import options_for
from weft.passes import REGISTRY, describe, pass_class
from weft.pipelines import Stage, stages
from weft.targets import Target, known_targets, target

__all__ = ["render"]

# Sub-package of weft.passes: (heading, IR that its passes run on).
_GROUPS = {
    "common": ("Common", "TTIR and TTGIR"),
    "ttir": ("TTIR", "TTIR"),
    "ttgir": ("TTGIR", "TTGIR"),
    "nvidia": ("NVIDIA", "TTGIR for cuda"),
    "amd": ("AMD", "TTGIR for hip"),
    "gluon": ("Gluon", "TTGIR of Gluon programs"),
}
_BACKENDS = {"cuda": "NVIDIA", "hip": "AMD", "cpu": "CPU device"}
_SOURCE = "../../src/weft/passes"
_FOLDER = Path(weft.passes.__file__).parent


def render() -> str:
    """Render the page."""
    return page(
        "Passes and pipelines",
        "`weft opt FILE -PASS='OPTION=VALUE …'` runs a pass by its name here ([guide]"
        "(../guides/weft_opt.md)). A pass that Triton or MLIR has carries their name.",
        *(_group(group) for group in _GROUPS),
        "## Pipelines\n\nThe passes of each stage, in order. A pass with chips in parentheses runs "
        "on these chips only. `weft opt --stage=STAGE --target=TARGET` runs a stage.",
        *(_pipeline(backend) for backend in _BACKENDS),
    )


def _group(group: str) -> str:
    heading, ir = _GROUPS[group]
    names = [name for name, entry in REGISTRY.items() if entry.split(".")[2] == group]
    parts = [f"## {heading}", f"Run on {ir}."]
    for name in names:
        path = REGISTRY[name].partition(":")[0].split(".")[3]
        path += ".py" if (_FOLDER / group / f"{path}.py").exists() else ""
        lines = [f"### `{name}`", f"{_description(name)} [Source]({_SOURCE}/{group}/{path})."]
        lines.append(f"Stages that run it: {_uses(name)}.")
        cls = cast("type[Struct]", pass_class(name))
        effects = parse(cls).sections.get("Attributes", {})
        rows = [_option(field, effects) for field in fields(cls)]
        if rows:
            lines.append(table(("option", "type", "default", "effect"), rows))
        parts += lines
    return "\n\n".join(parts)


def _description(name: str) -> str:
    """Get the first line of a pass's docstring, without the name of the pass."""
    return describe(name).replace(f" ({name})", "").replace(f" (`{name}`)", "")


def _option(field: FieldInfo, effects: dict[str, str]) -> list[str]:
    default = "required" if field.default is NODEFAULT else code(_text(field.default))
    name = code(field.name.replace("_", "-"))
    kind = field.type.__name__
    return [name, code(kind), default, effects.get(field.name, "")]


def _text(value: object) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else repr(value)
        if value == ""
        else str(value)
    )


def _chips(backend: str) -> list[Target]:
    return [chip for chip in map(target, known_targets()) if chip.backend == backend]


def _stages(chip: Target) -> tuple[Stage, ...]:
    return stages(chip, options_for(chip, {}))


def _uses(name: str) -> str:
    """List the stages of each back end that run a pass: "cuda: layout, final"."""
    uses: list[str] = []
    for backend in _BACKENDS:
        names = dict.fromkeys(
            stage.name
            for chip in _chips(backend)
            for stage in _stages(chip)
            if any(each.name == name for each in stage.passes)
        )
        if names:
            uses.append(f"{backend} ({', '.join(names)})")
    return ", ".join(uses) or "none"


def _pipeline(backend: str) -> str:
    """List the stages of a back end with their passes, over all of its chips."""
    chips = _chips(backend)
    rows: list[list[str]] = []
    for index, stage in enumerate(_stages(chips[0])):
        lists = [[each.name for each in _stages(chip)[index].passes] for chip in chips]
        merged = reduce(_merge, lists)
        texts = []
        for position, name in enumerate(merged):
            having = [
                str(chip.arch)
                for chip, names in zip(chips, lists, strict=True)
                if _has(names, merged, position)
            ]
            condition = "" if len(having) == len(chips) else f" ({', '.join(having)})"
            texts.append(f"`{name}`{condition}")
        rows.append([code(stage.name), stage.ir, ", ".join(texts) or "–"])
    heading = f"### {_BACKENDS[backend]}: `{backend}`"
    return "\n\n".join([heading, table(("stage", "IR after it", "passes"), rows)])


def _merge(first: list[str], second: list[str]) -> list[str]:
    """Merge two lists of passes into one that has both in their order."""
    merged: list[str] = []
    for _, start, end, other_start, other_end in SequenceMatcher(
        None, first, second, autojunk=False
    ).get_opcodes():
        same = first[start:end] == second[other_start:other_end]
        merged += first[start:end] + ([] if same else second[other_start:other_end])
    return merged


def _has(names: list[str], merged: list[str], position: int) -> bool:
    """Check whether a chip's list has the pass at a position of the merged list."""
    aligned: list[int] = []
    start = 0
    for name in names:
        start = merged.index(name, start)
        aligned.append(start)
        start += 1
    return position in aligned
