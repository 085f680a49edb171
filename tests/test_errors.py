"""The text of errors: location, excerpt, found, accepted, hint."""

from __future__ import annotations

from weft.errors import Location, TypeMismatchError, WeftError, did_you_mean, near

SOURCE = "    x = tl.lod(ptr)"


def test_message_alone():
    assert str(WeftError("no grid")) == "error: no grid"


def test_every_detail_is_shown():
    error = TypeMismatchError(
        "unknown function tl.lod",
        location=Location("kernel.py", 12, 9, 15, SOURCE),
        found="tl.lod",
        accepted=("tl.load", "tl.store"),
        hint="did you mean tl.load?",
    )
    assert str(error) == (
        "kernel.py:12:9: error: unknown function tl.lod\n"
        "    x = tl.lod(ptr)\n"
        "        ^~~~~~\n"
        "  found: tl.lod\n"
        "  accepted: tl.load, tl.store\n"
        "  hint: did you mean tl.load?"
    )


def test_location_without_a_column_has_no_carets():
    assert str(Location("kernel.py", 3)) == "kernel.py:3"
    assert Location("kernel.py", 3, source=SOURCE).excerpt() == SOURCE
    assert Location("no such file", 3, 1).excerpt() == ""


def test_excerpt_is_read_from_the_file(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("a = 1\nb = c\n")
    assert Location(str(file), 2, 5, 6).excerpt() == "    b = c\n        ^"


def test_similar_names():
    assert near("lod", ["load", "store"]) == ("load",)
    assert did_you_mean("lod", ["load", "store"]) == "did you mean load?"
    assert did_you_mean("lod", ["store"]) is None
