"""Who may import whom. The table is that of docs/ARCHITECTURE.md."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "weft"

LEAVES = ("doors", "errors")

# room: the rooms it may import, besides itself and the leaves.
MAY_IMPORT: dict[str, frozenset[str]] = {
    room: frozenset(others.split())
    for room, others in {
        "doors": "",
        "errors": "",
        "layouts": "",
        "decisions": "",
        "knobs": "",
        "language": "",
        "targets": "layouts",
        "ir": "layouts",
        "analysis": "ir layouts",
        "passes": "ir layouts analysis targets decisions",
        "pipelines": "passes targets",
        "frontend": "language ir",
        "codegen": "ir layouts analysis targets",
        "ptx": "",
        "interpreter": "ir ptx",
        "simulator": "layouts targets ptx",
        "runtime": (
            "language frontend ir layouts analysis passes pipelines targets codegen interpreter "
            "simulator decisions knobs"
        ),
        "explain": "ir layouts analysis passes pipelines targets decisions runtime",
        "testing": "ir passes pipelines interpreter targets runtime",
        "tools": "runtime",
        "cli": "door layouts ir passes pipelines targets runtime explain knobs testing",
        "door": "language layouts targets runtime explain knobs testing tools",
        "__main__": "cli",
    }.items()
}

# package: the rooms that may import it. Everything else of the outside is Python's own.
OUTSIDE: dict[str, frozenset[str]] = {
    package: frozenset(rooms.split())
    for package, rooms in {
        "xdsl": (
            "ir analysis passes pipelines frontend interpreter codegen runtime testing explain cli"
        ),
        "numpy": "layouts ir passes codegen ptx interpreter simulator runtime testing explain",
        "ml_dtypes": "ir codegen ptx interpreter simulator runtime testing",
        "rich": "cli explain runtime interpreter",
        "typer": "cli",
        "typing_extensions": "ir codegen runtime",
        "llvmlite": "codegen",
        "hypothesis": "testing",
    }.items()
}

FILES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    """Return the room that a file lies in."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "door" if first == "__init__" else first


def imported(tree: ast.AST, package: str) -> Iterator[tuple[int, str]]:
    """Yield (line, full dotted name) of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, base]).rstrip(".")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def weft_room(name: str) -> str:
    """Return the room that a dotted name of weft belongs to."""
    parts = name.split(".")
    known = len(parts) > 1 and (parts[1] in MAY_IMPORT or (SOURCE / parts[1]).exists())
    return parts[1] if known else "door"


def test_every_room_has_a_rule():
    assert {room_of(path) for path in FILES} <= MAY_IMPORT.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_keep_to_the_table(path):
    room = room_of(path)
    package = ".".join(("weft", *path.relative_to(SOURCE).parts[:-1]))
    wrong = []
    for line, name in imported(ast.parse(path.read_text()), package):
        top = name.split(".")[0]
        if top == "weft":
            other = weft_room(name)
            if name != "weft.__version__" and other not in MAY_IMPORT[room] | {room, *LEAVES}:
                wrong.append(f"{path.name}:{line}: {room} may not import {other} ({name})")
        elif top in OUTSIDE:
            if room not in OUTSIDE[top]:
                wrong.append(f"{path.name}:{line}: {room} may not import {top}")
        elif not is_standard(top):
            wrong.append(f"{path.name}:{line}: {top} is no dependency of weft")
    assert not wrong, "\n".join(wrong)


def is_standard(name: str) -> bool:
    """Return whether a top-level module is Python's own, in this version or a later one."""
    import sys

    return name in sys.stdlib_module_names | {"_sha2"}


def test_the_walk_sees_every_form_of_import():
    tree = ast.parse(
        "import weft.passes\nfrom weft import ir\nfrom . import x\nfrom ..targets import chips\n"
        "def f():\n    from weft.cli import main\n"
    )
    names = [name for _, name in imported(tree, "weft.layouts")]
    assert names == [
        "weft.passes",
        "weft.ir",
        "weft.layouts.x",
        "weft.targets.chips",
        "weft.cli.main",
    ]
    assert [weft_room(name) for name in names] == ["passes", "ir", "layouts", "targets", "cli"]
    assert weft_room("weft.jit") == "door"
