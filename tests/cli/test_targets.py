"""`weft targets` and the top of the command line."""

from __future__ import annotations

import weft
from weft.targets import derived_targets, known_targets


def test_every_chip_is_listed(weft_command):
    lines = weft_command("targets").stdout.splitlines()
    *table, empty, remark = lines
    assert [line.split()[0] for line in table[1:]] == [*known_targets(), *derived_targets()]
    assert not any("…" in line for line in table)
    assert (empty, "not run on hardware" in remark) == ("", True)


def test_version(weft_command):
    assert weft_command("--version").stdout == f"weft {weft.__version__}\n"


def test_help_names_the_verbs(weft_command):
    text = weft_command("--help").stdout
    assert all(verb in text for verb in ("compile", "opt", "run", "targets"))


def test_an_unknown_verb(weft_command):
    assert weft_command("compil").exit_code == 2
