"""`weft opt`: passes over IR text."""

from __future__ import annotations

import re

from weft.cli.report import console, read, write

_SEPARATOR = "// -----"
_SPLIT = re.compile(r"^// -----.*\n?", re.MULTILINE)


def run(file: str, pipeline: str, *, split: bool, locations: bool, output: str) -> None:
    """Read IR from `file`, run `pipeline` over it and write what comes out.

    Args: split: parts between lines `// -----` are modules of their own.
    Raises: ParseError, VerifyError, UnknownPassError, PassError; WeftError for the files.
    """
    from weft.ir.text import parse_module, print_module
    from weft.ir.verifier import verify
    from weft.passes import parse_pipeline, run_pipeline

    passes = parse_pipeline(pipeline)
    text = read(file)
    name = "<stdin>" if file == "-" else file
    printed: list[str] = []
    for line, part in _parts(text) if split else ((0, text),):
        # Blank lines in front keep the line numbers of errors those of the file.
        module = parse_module("\n" * line + part, name)
        verify(module)
        run_pipeline(passes, module, verify=True)
        printed.append(print_module(module, locations=locations).rstrip("\n"))
    write(f"\n\n{_SEPARATOR}\n\n".join(printed), output)


def _parts(text: str) -> list[tuple[int, str]]:
    """Return the parts of a text with the number of lines before each."""
    parts, start = [], 0
    for found in [*_SPLIT.finditer(text), None]:
        end = found.start() if found else len(text)
        if text[start:end].strip():
            parts.append((text.count("\n", 0, start), text[start:end]))
        start = found.end() if found else start
    return parts


def print_passes() -> None:
    """Print the name of every pass and the first line of its description."""
    from rich.table import Table

    from weft.passes import REGISTRY, describe

    table = Table("pass", "what it does", box=None, pad_edge=False)
    for name in sorted(REGISTRY):
        table.add_row(name, describe(name))
    console().print(table)
