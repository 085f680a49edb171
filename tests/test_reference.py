"""The generated pages of docs/reference agree with the source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generator import FOLDER, PAGES
from docs.generator.docstrings import parse
from docs.generator.options import ENVIRONMENT

SOURCE = Path(__file__).parents[1] / "src"


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_those_of_the_source(name):
    assert (FOLDER / name).read_text() == PAGES[name](), "run `make reference`"


@pytest.mark.parametrize("name", PAGES)
def test_no_row_lacks_its_last_cell(name):
    """Only columns of examples may be empty: an operation or option without a text is an error."""
    table = ""
    for line in PAGES[name]().splitlines():
        if line.startswith("|") and not table:
            table = line
        elif not line.startswith("|"):
            table = ""
        if table and "example" not in table:
            assert not line.endswith("|  |"), line


def test_every_environment_variable_is_listed():
    variables = {
        name
        for path in SOURCE.rglob("*.py")
        for name in re.findall(r"\bWEFT_[A-Z0-9_]+\b", path.read_text())
    }
    assert variables == ENVIRONMENT.keys()


def test_docstrings_are_split_into_sections():
    docstring = parse(
        """Divide and round up.

        The divisor is positive.

        Args:
            x: The dividend,
                an integer.
            *rest: Ignored.

        Returns: The quotient.

        Raises:
            ValueError: The divisor is 0.
        """
    )
    assert docstring.summary == "Divide and round up."
    assert docstring.text == "The divisor is positive."
    assert docstring.sections == {
        "Args": {"x": "The dividend, an integer.", "*rest": "Ignored."},
        "Returns": {"": "The quotient."},
        "Raises": {"ValueError": "The divisor is 0."},
    }
