"""Imports between packages follow the table of docs/ARCHITECTURE.md and form no cycles."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "weft"
FILES = sorted(SOURCE.rglob("*.py"))

# Every package may import these.
LEAVES = ("errors", "lazy_attributes", "notebook", "registry", "version")

# package: the packages it may import, besides itself and the leaves. "weft" is the public API.
MAY_IMPORT: dict[str, frozenset[str]] = {
    package: frozenset(imports.split())
    for package, imports in {
        "errors": "",
        "lazy_attributes": "",
        "registry": "",
        "notebook": "",
        "version": "",
        "layouts": "",
        "decisions": "",
        "knobs": "",
        "language": "",
        "targets": "layouts",
        "ir": "layouts",
        "analysis": "ir layouts",
        "lowering_plans": "ir layouts analysis targets",
        "optimum": "decisions ir layouts analysis targets lowering_plans",
        "passes": "ir layouts analysis targets decisions optimum",
        "pipelines": "passes targets optimum knobs",
        "gluon": "language layouts",
        "frontend": "language gluon ir layouts",
        "codegen": "ir layouts analysis targets lowering_plans",
        "ptx": "",
        "interpreter": "layouts ir ptx",
        "simulator": "layouts targets ptx",
        "compiler": "language frontend ir passes pipelines targets codegen knobs",
        "launch": "language frontend ir passes pipelines targets interpreter compiler knobs",
        "kernel": "language ir passes pipelines targets compiler launch knobs",
        "autotuner": "language targets compiler launch kernel knobs",
        "explain": (
            "ir layouts analysis lowering_plans optimum passes pipelines targets decisions "
            "compiler kernel"
        ),
        "report": "ir layouts analysis passes targets decisions codegen compiler explain",
        "experimental": "language gluon launch kernel",
        "testing": (
            "ir passes pipelines interpreter simulator targets compiler launch kernel autotuner"
        ),
        "compat": "weft ir language targets compiler launch kernel autotuner testing knobs",
        "cli": (
            "weft layouts ir passes pipelines targets compiler launch kernel explain report knobs "
            "testing compat gluon"
        ),
        "weft": "language layouts targets compiler launch kernel autotuner knobs testing",
        "__main__": "cli",
    }.items()
}

# Third-party package: the packages that may import it.
THIRD_PARTY: dict[str, frozenset[str]] = {
    library: frozenset(packages.split())
    for library, packages in {
        "xdsl": (
            "ir analysis lowering_plans passes pipelines frontend interpreter codegen compiler "
            "testing explain report cli optimum"
        ),
        "numpy": (
            "layouts ir lowering_plans passes codegen ptx interpreter simulator launch testing "
            "explain compat optimum"
        ),
        "msgspec": (
            "layouts ir analysis lowering_plans passes pipelines frontend language codegen "
            "compiler launch kernel decisions targets explain report cli optimum"
        ),
        "ml_dtypes": "ir codegen ptx interpreter simulator launch testing",
        "rich": "cli explain autotuner interpreter",
        "typer": "cli",
        "typing_extensions": "ir analysis codegen launch compat knobs",
        "llvmlite": "codegen",
        "hypothesis": "testing",
        "highspy": "optimum",
    }.items()
}


def module_name(path: Path) -> str:
    """Get the dotted name of a source file."""
    parts = ("weft", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path: Path) -> str:
    """Get the package of the table that a file belongs to."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "weft" if first == "__init__" else first


def imported(tree: ast.AST, package: str) -> Iterator[tuple[int, str]]:
    """Yield (line, full dotted name) of every import, inside functions and TYPE_CHECKING too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, base]).rstrip(".")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, full dotted name) of every import of a file."""
    package = ".".join(("weft", *path.relative_to(SOURCE).parts[:-1]))
    return imported(ast.parse(path.read_text()), package)


def imported_package(name: str) -> str:
    """Get the package of the table that a dotted name of weft belongs to."""
    parts = name.split(".")
    is_package = len(parts) > 1 and (parts[1] in MAY_IMPORT or (SOURCE / parts[1]).exists())
    return parts[1] if is_package else "weft"


def import_graph() -> dict[str, set[str]]:
    """Map every module to the modules that it imports by name."""
    modules = {module_name(path): path for path in FILES}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        names = {
            name if name in modules else name.rpartition(".")[0] for _, name in imports_of(path)
        }
        graph[module] = (names & modules.keys()) - {module}
    return graph


def cycles(graph: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """List the strongly connected components of more than one module (Tarjan 1972)."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    components: list[frozenset[str]] = []

    def visit(module: str) -> None:
        index[module] = lowest[module] = len(index)
        stack.append(module)
        for other in graph[module]:
            if other not in index:
                visit(other)
            if other in stack:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == index[module]:
            start = stack.index(module)
            component = frozenset(stack[start:])
            del stack[start:]
            if len(component) > 1:
                components.append(component)

    for module in graph:
        if module not in index:
            visit(module)
    return components


def test_every_package_has_a_rule():
    assert {package_of(path) for path in FILES} <= MAY_IMPORT.keys()


def test_the_table_has_no_cycle():
    try:
        TopologicalSorter(MAY_IMPORT).prepare()
    except CycleError as error:
        pytest.fail(f"packages import one another: {error.args[1]}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_follow_the_table(path):
    package = package_of(path)
    wrong = []
    for line, name in imports_of(path):
        top = name.split(".")[0]
        if top == "weft":
            other = imported_package(name)
            allowed = MAY_IMPORT[package] | {package, *LEAVES}
            if other not in allowed:
                wrong.append(f"{path.name}:{line}: {package} may not import {other} ({name})")
        elif top in THIRD_PARTY:
            if package not in THIRD_PARTY[top]:
                wrong.append(f"{path.name}:{line}: {package} may not import {top}")
        elif top not in sys.stdlib_module_names | {"_sha2"}:  # _sha2: Python 3.12
            wrong.append(f"{path.name}:{line}: {top} is not a dependency of weft")
    assert not wrong, "\n".join(wrong)


def test_modules_import_without_cycles():
    """Imports inside functions and under TYPE_CHECKING count: they hide a cycle."""
    components = cycles(import_graph())
    listing = "\n".join(" ".join(sorted(component)) for component in components)
    assert not components, listing


def test_every_form_of_import_is_seen():
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
    packages = [imported_package(name) for name in names]
    assert packages == ["passes", "ir", "layouts", "targets", "cli"]
    assert imported_package("weft.jit") == "weft"


def test_cycles_are_found():
    graph = {"a.b": {"a.c"}, "a.c": {"a.b", "d"}, "d": {"e"}, "e": set(), "f": {"a.b"}}
    components = cycles(graph)
    assert components == [frozenset({"a.b", "a.c"})]
