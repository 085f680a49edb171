"""docs/reference/errors.md: the errors of weft, and exit codes."""

from __future__ import annotations

import ast
from pathlib import Path

import weft
from docs.generator.docstrings import parse
from docs.generator.markdown import contract, page, table
from weft import errors
from weft.errors import WeftError

__all__ = ["render"]

_EXIT_CODES = (
    ("0", "success"),
    ("1", "a `WeftError`, printed on stderr; for `weft run`, any exception of the program"),
    ("2", "a wrong command line: an unknown subcommand or option, a missing argument"),
)


def render() -> str:
    """Render the page."""
    raising = _packages_that_raise()
    return page(
        "Errors",
        "Wrong input ends in a `weft.errors.WeftError`. Any other exception from inside weft is a "
        "defect; please report it.",
        contract(parse(WeftError)),
        "## Text of an error\n\n```text\n" + _example() + "\n```",
        "## Hierarchy",
        table(("error", "base", "meaning", "raised in"), _rows(WeftError, raising)),
        "Triton's names for them (`triton.runtime.errors`, `triton.compiler.errors`):",
        table(("Triton's name", "in weft"), _aliases()),
        "## Exit codes of the command line",
        table(("code", "meaning"), _EXIT_CODES),
    )


def _example() -> str:
    lines = (errors.__doc__ or "").splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("    "))


def _rows(cls: type[WeftError], raising: dict[str, set[str]]) -> list[list[str]]:
    packages = ", ".join(f"`{name}`" for name in sorted(raising.get(cls.__name__, ())))
    base = cls.__bases__[0].__name__
    rows = [[f"`{cls.__name__}`", f"`{base}`", parse(cls).summary, packages]]
    for each in cls.__subclasses__():
        if each.__module__ == errors.__name__:
            rows += _rows(each, raising)
    return rows


def _packages_that_raise() -> dict[str, set[str]]:
    """Map the name of an error to the packages of weft that create it or pass its class on."""
    root = Path(weft.__file__).parent
    packages: dict[str, set[str]] = {}
    for path in root.rglob("*.py"):
        package = path.relative_to(root).parts[0].removesuffix(".py")
        if package == "errors":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                keywords = (keyword.value for keyword in node.keywords)
                for each in (node.func, *node.args, *keywords):
                    if isinstance(each, ast.Name) and each.id.endswith("Error"):
                        packages.setdefault(each.id, set()).add(package)
    return packages


def _aliases() -> list[list[str]]:
    return [
        [f"`{name}`", f"`{value.__name__}`"]
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, WeftError) and name != value.__name__
    ]
