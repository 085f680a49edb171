"""Fixtures that run the command line in this process and write kernel files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from weft.cli.app import app

HEAD = "import numpy as np\nimport weft\nimport weft.language as tl\n\n\n"


@pytest.fixture
def weft_command() -> Callable[..., Result]:
    """Run the command line; the result has its stdout, stderr and exit code."""

    def run(*args: object, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(app, [str(arg) for arg in args], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def kernel_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a Python file that starts with the usual imports; line 6 is the first of `text`."""

    def write(text: str, name: str = "kernels.py") -> Path:
        file = tmp_path / name
        file.write_text(HEAD + text)
        return file

    return write
