"""Every code block of the documents runs.

python    all blocks of a document, in order, are one program
console   each line `$ weft …` is run and must print the lines below it; `...` matches any text,
          and a number like 1.2e-07 any other such number: rounding errors differ between machines.
          The commands of a block run in one folder, which has the files of the repository
mlir      weft parses the block
mermaid   drawings; tests/test_architecture_page.py checks them
text      drawings and listings; not run

Other kinds of block are an error.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / ".github").rglob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]*`")
# Files that documents name, and those that the reader of a guide creates.
PATH = re.compile(
    r"(?<![\w/.])((?:src|tests|docs|examples|benchmarks|\.ci)/[\w/.-]*\w)(?![\w/*<…])"
)
EXAMPLE_FILES = {
    "examples/FILE.py",
    "src/weft/X/y.py",
    "tests/X/test_y.py",
    "tests/passes/ttir/double_by_adding.mlir",
}
MODULE = re.compile(r"python -m ((?:benchmarks|tests|docs|weft)[\w.]*)")
ERROR = re.compile(r"\b\d\.\de[-+]\d\d\b")
# Commands that set up a machine are not run.
SETUP = ("git clone", "cd ", "make", "pip install", "python3 -m venv")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        kind: The language after the opening fence.
        text: The lines between the fences.
        line: The line of the document that `text` begins on, 1-based.
    """

    kind: str
    text: str
    line: int


def blocks(document: Path) -> list[Block]:
    """List the fenced blocks of a document."""
    text = document.read_text()
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)
        for match in FENCE.finditer(text)
    ]


def commands(block: Block) -> list[tuple[str, str]]:
    """List (command, expected output) of each `$` line of a console block."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def link_repository(folder: Path) -> None:
    """Link the files of the repository, so that commands write their output beside the links."""
    for entry in ROOT.iterdir():
        (folder / entry.name).symlink_to(entry)


def run(arguments: list[str], folder: Path) -> str:
    """Run a command in a folder; return its output and error text."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "HOME": str(folder),
    }
    process = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return process.stdout + process.stderr


def ids(document: Path) -> str:
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_fence_belongs_to_a_block(document):
    fences = re.findall(r"^\s*(?:```|~~~)", document.read_text(), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(document))


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_kinds_of_block(document):
    kinds = {"python", "console", "mlir", "mermaid", "text"}
    assert not [block for block in blocks(document) if block.kind not in kinds]


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_python_blocks_run(document, tmp_path):
    parts = [block for block in blocks(document) if block.kind == "python"]
    if not parts:
        return
    # Each block keeps its line numbers, so that an error names the line of the document.
    lines: list[str] = []
    for block in parts:
        lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
    script = tmp_path / f"{document.stem}.py"
    script.write_text("\n".join(lines) + "\n")
    try:
        run_checked([sys.executable, str(script)], tmp_path)
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{document.name}: {error.stderr}")


def run_checked(arguments: list[str], folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )


CONSOLE = [
    (document, block)
    for document in DOCUMENTS
    for block in blocks(document)
    if block.kind == "console"
]


@pytest.mark.parametrize(
    ("document", "block"), CONSOLE, ids=[f"{ids(d)}: {block.line}" for d, block in CONSOLE]
)
def test_console_blocks_print_what_they_show(document, block, tmp_path):
    link_repository(tmp_path)
    for command, expected in commands(block):
        if command.startswith(SETUP):
            error = f"{document.name}: {command} is not run and cannot show output"
            assert not expected.strip(), error
        else:
            check_command(document, command, expected, tmp_path)


def check_command(document: Path, command: str, expected: str, folder: Path) -> None:
    words = shlex.split(command)
    assert words[0] in {"weft", "python"}, f"{document.name}: cannot run {command!r}"
    head = [sys.executable, "-m", "weft"] if words[0] == "weft" else [sys.executable]
    printed = run([*head, *words[1:]], folder)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    same = doctest.OutputChecker().check_output(
        ERROR.sub("<error>", expected), ERROR.sub("<error>", printed), flags
    )
    if not same:
        pytest.fail(f"{document.name}: $ {command}\nshown:\n{expected}\nprinted:\n{printed}")


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_mlir_blocks_are_ir(document):
    parts = [block for block in blocks(document) if block.kind == "mlir"]
    if parts:
        from weft.ir.text import parse_module

        for block in parts:
            parse_module(block.text, f"{document.name}:{block.line}")


def slugs(document: Path) -> set[str]:
    """List the anchors of a document's headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", document.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_named_files_exist(document):
    text = document.read_text()
    files = [name for name in PATH.findall(text) if name not in EXAMPLE_FILES]
    assert not [name for name in files if not (ROOT / name).exists()]
    assert not [name for name in MODULE.findall(text) if find_spec(name) is None]


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_links_lead_somewhere(document):
    text = INLINE_CODE.sub("", FENCE.sub("", document.read_text()))
    for link, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        if not link.startswith("http"):
            target = document.parent / link if link else document
            assert target.exists(), f"{document.name}: {link}"
            assert not anchor or anchor in slugs(target), f"{document.name}: {link}#{anchor}"
