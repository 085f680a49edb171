"""Matrix instructions of AMD chips: what the rows hold, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known_targets
from weft.targets.loading import chip_file
from weft.targets.matrix_units import matrix_units, read_matrix_units

TEXT = chip_file("matrix_units", "gfx942").read_text("utf-8")


def test_every_chip_of_amd_has_rows():
    for name in known_targets():
        if name.startswith("hip:"):
            assert matrix_units(name.removeprefix("hip:")).matrix


@pytest.mark.parametrize(
    ("arch", "family", "version"),
    [("gfx908", "mfma", 1), ("gfx950", "mfma", 4), ("gfx1100", "wmma", 1), ("gfx1250", "wmma", 3)],
)
def test_families(arch, family, version):
    units = matrix_units(arch)
    assert (units.family, units.version) == (family, version)


def test_order_of_rows_is_preference():
    rows = matrix_units("gfx950").of_types("f16", "f16")
    shapes = "32x32x16 32x32x8 16x16x32 16x16x16 64x4x64 4x64x64"
    assert [row.shape for row in rows] == shapes.split()


def test_element_types_of_single_chips():
    assert [
        arch for arch in ("gfx90a", "gfx942", "gfx950") if matrix_units(arch).takes("xf32")
    ] == ["gfx942"]
    assert matrix_units("gfx942").takes("f8E4M3FNUZ")
    assert not matrix_units("gfx942").takes("f8E4M3FN")
    assert not matrix_units("gfx908").of_types("f64", "f64")


def test_sides():
    assert matrix_units("gfx942").sides() == (4, 16, 32)
    assert matrix_units("gfx1201").sides() == (16,)


def test_rows_that_lose_bits_are_not_selectable():
    units = matrix_units("gfx1201")
    assert {row.d for row in units.of_types("f16", "f16")} == {"f32"}
    assert not units.of_types("i4", "i4")


def test_an_unknown_chip():
    with pytest.raises(UnknownTargetError) as caught:
        matrix_units("gfx943")
    assert "no matrix instructions are listed for target gfx943" in str(caught.value)
    assert caught.value.hint is not None
    assert "gfx942" in caught.value.hint


def test_an_empty_name():
    with pytest.raises(UnknownTargetError, match="an unnamed target"):
        matrix_units("")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[facts]", "[fact", "invalid TOML"),
        ("[facts]", "[truths]", "unknown table truths"),
        ("[rows]", "[row]", "unknown table row"),
        ("vector = [", "scalar = [", "unknown list scalar"),
        ("version = {", "# version = {", "fact version is missing"),
        ("version = {", "versions = {", "unknown fact versions"),
        ("{ value = 3,", '{ value = "3",', "version must be an integer"),
        ("{ value = 3,", "{ values = 3,", "version must be { value = …, source = … }"),
        ('value = "mfma", source = "amd"', 'value = "mfma", source = "x"', "has a source that"),
        ('value = "mfma"', 'value = "wmma"', "no instruction family for wavefronts of 64 lanes"),
        ('["mfma"', '["mfna"', "unknown rule mfna"),
        (
            "m = 16, n = 16, k = 4,",
            "m = 16, n = 16, k = 8,",
            "16 x 8 elements do not fill 64 lanes",
        ),
        ("m = 16, n = 16, k = 4,", "m = 16, n = 12, k = 4,", "n must be a power of two"),
        ("elements = 1,", "elements = 2,", "do not fill 64 lanes of 2 elements"),
        ("elements = 1,", "elements = true,", "elements must be an integer"),
        ("elements = 1,", "", "key elements is missing"),
        ("elements = 1,", "elements = 1, lanes = 64,", "unknown key lanes"),
        (', source = "llvm" }', ', source = "hearsay" }', "has a source that is not listed"),
        ("[calls]", "[call]", "unknown table call"),
        ("[calls]", "[calls.x]", "call x must be"),
        ('"i32 $block"', '"i32 $lock"', "call mfma: unknown argument i32 $lock"),
        ("overloaded = []", 'overloaded = ["d"]', "call mfma: d is not an operand"),
        ('call = "mfma"', 'call = "fmma"', "unknown call"),
        ("formats = []", "formats = 1", "formats must be a list of rows"),
        (
            "m = 16, n = 16, k = 4,",
            "m = 1, n = 16, k = 64,",
            "1 x 16 results do not cover 64 lanes evenly",
        ),
    ],
)
def test_refuses(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(WeftError) as caught:
        read_matrix_units(TEXT.replace(old, new, 1), "gfx942", 64)
    assert message in str(caught.value)


def test_calls_must_be_a_table():
    start, end = TEXT.index("[calls]"), TEXT.index("# One row per instruction")
    with pytest.raises(WeftError, match="calls must be a table"):
        read_matrix_units("calls = 1\n" + TEXT[:start] + TEXT[end:], "gfx942", 64)


def test_small_floats_of_scaled_instructions():
    assert {row.name: row.number for row in matrix_units("gfx950").formats} == {
        "e4m3": 0, "e5m2": 1, "e2m3": 2, "e3m2": 3, "e2m1": 4
    }  # fmt: skip
    assert not matrix_units("gfx942").formats
