"""docs/ARCHITECTURE.md: its tables and drawings are those of the source and of test_imports.py."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_imports import LEAVES, MAY_IMPORT

PAGE = (Path(__file__).parents[1] / "docs" / "ARCHITECTURE.md").read_text()
DRAWINGS = re.findall(r"^```mermaid\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PUBLIC_API = "weft"


def rows_of_table(heading: str) -> list[tuple[str, str]]:
    """List the cells of a table with two columns that has a given first line."""
    lines = PAGE[PAGE.index(heading) :].splitlines()[2:]
    rows: list[tuple[str, str]] = []
    for line in lines:
        if not line.startswith("|"):
            break
        first, second = line.strip("| ").split(" | ", 1)
        rows.append((first, second))
    return rows


def names_in(text: str) -> list[str]:
    """List the names in back quotes."""
    return re.findall(r"`(\w+)`", text)


def reachable(package: str) -> set[str]:
    """List the packages that one may import, directly or through others."""
    packages = set(MAY_IMPORT[package])
    return packages.union(*(reachable(each) for each in packages))


def test_every_package_is_described():
    described = [
        name for first, _ in rows_of_table("| package | content |") for name in names_in(first)
    ]
    assert sorted(described) == sorted(MAY_IMPORT.keys() - {"__main__"})


def test_table_of_imports():
    table = {
        package: {*names_in(imports), *([PUBLIC_API] if "the public API" in imports else ())}
        for first, imports in rows_of_table("| package | may import |")
        for package in names_in(first)
    }
    left_out = {*LEAVES, PUBLIC_API, "__main__"}
    assert table == {name: MAY_IMPORT[name] for name in MAY_IMPORT.keys() - left_out}


def test_drawing_of_imports():
    """It shows an import unless it follows from others."""
    (drawing,) = (text for text in DRAWINGS if "%% imports" in text)
    arrows = {
        (package, imported)
        for package, targets in re.findall(r"^ *(\w+) --> (.*)$", drawing, re.MULTILINE)
        for imported in targets.split(" & ")
    }
    assert arrows == {
        (package, imported)
        for package in MAY_IMPORT.keys() - {"__main__"}
        for imported in MAY_IMPORT[package]
        if not any(imported in reachable(other) for other in MAY_IMPORT[package] - {imported})
    }


def test_packages_in_the_drawing_of_the_pipeline():
    (drawing,) = (text for text in DRAWINGS if "%% imports" not in text)
    without_labels = re.sub(
        r'[\[(]+".*?"[\])]+|--? [\w ]+ -->|-\. \w+ \.->|-\.->|-->', " ", drawing
    )
    words = set(re.findall(r"\b[a-z_]+\b", without_labels)) - {"flowchart"}
    assert words <= MAY_IMPORT.keys()
    assert {"frontend", "passes", "codegen", "simulator", "interpreter", "explain"} <= words
