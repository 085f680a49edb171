"""Every folder of a chip is valid, and a folder with a mistake is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from weft.errors import WeftError
from weft.targets.checking import check_folder, main
from weft.targets.loading import chip_file, chip_folders


@pytest.mark.parametrize("chip", chip_folders())
def test_every_chip_is_valid(chip):
    check_folder(chip_file("chip", chip).parent)


def copy_chip(chip: str, folder: Path) -> Path:
    """Copy the files of a chip into a folder of the same name."""
    return Path(shutil.copytree(chip_file("chip", chip).parent, folder / chip))


def test_unknown_and_missing_files_are_refused(tmp_path):
    folder = copy_chip("gfx942", tmp_path)
    (folder / "board.toml").write_text("")
    with pytest.raises(WeftError, match=r"gfx942: unknown file board\.toml") as caught:
        check_folder(folder)
    assert caught.value.hint == "did you mean boards.toml?"
    (folder / "board.toml").unlink()
    (folder / "chip.toml").unlink()
    with pytest.raises(WeftError, match=r"gfx942: the folder has no chip\.toml"):
        check_folder(folder)


@pytest.mark.parametrize("file", ["matrix_units", "boards"])
def test_a_malformed_file_is_refused(file, tmp_path):
    folder = copy_chip("gfx942", tmp_path)
    path = folder / f"{file}.toml"
    path.write_text(path.read_text().replace("[sources]", "[origins]"))
    with pytest.raises(WeftError, match=rf"gfx942/{file}\.toml: unknown table origins"):
        check_folder(folder)


def test_command(tmp_path, capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "cpu: all files are valid"
    folder = copy_chip("gfx1200", tmp_path)
    path = folder / "chip.toml"
    path.write_text(path.read_text().replace('"gfx1201"', '"gfx1299"'))
    assert main([str(folder)]) == 1
    assert "like must name a chip that is not derived" in capsys.readouterr().out
