"""Folders and names of chips, and what is read when."""

from __future__ import annotations

import subprocess
import sys

import pytest

from weft.errors import UnknownTargetError
from weft.targets import derived_targets, known_targets
from weft.targets.loading import (
    chip_folder,
    chip_folders,
    folders_with,
    load_kind,
    load_tables,
    target_name,
)


def test_folders_and_names_correspond():
    names = {target_name(folder): folder for folder in chip_folders()}
    assert set(names) == {*known_targets(), *derived_targets()}
    assert all(chip_folder(name) == folder for name, folder in names.items())
    assert chip_folder("gfx942") == "gfx942"


def test_folders_with_a_kind():
    assert "sm_90" in folders_with("tensor_cores")
    assert "gfx942" not in folders_with("tensor_cores")


def test_a_derived_chip_has_the_files_of_its_base_chip():
    assert load_kind("tensor_cores", "cuda:103", "tensor cores") == load_tables(
        "tensor_cores", "sm_100"
    )


@pytest.mark.parametrize("name", ["cuda:91", "hip:gfx942", "gfx1200", ""])
def test_a_chip_without_the_file(name):
    with pytest.raises(UnknownTargetError, match="no tensor cores are listed for") as caught:
        load_kind("tensor_cores", name, "tensor cores")
    assert "cuda:90" in caught.value.accepted


def test_only_the_files_of_one_chip_are_read():
    script = (
        "import tomllib\n"
        "texts, real = [], tomllib.loads\n"
        "tomllib.loads = lambda text: (texts.append(text), real(text))[1]\n"
        "from weft.targets import target\n"
        "target('cuda:90'), target('hip:gfx1200')\n"
        "print(len(texts))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    # sm_90; gfx1200 and its base gfx1201, which is read to see that it is not derived, too.
    assert int(result.stdout) <= 4
