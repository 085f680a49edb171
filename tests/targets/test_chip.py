"""Reading chip.toml: the facts, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import WeftError
from weft.targets import target
from weft.targets.chip import read_chip
from weft.targets.loading import chip_file

TEXT = chip_file("chip", "gfx942").read_text("utf-8")


def test_name() -> None:
    assert read_chip(TEXT, "gfx942").name == "hip:gfx942"


@pytest.mark.parametrize(
    ("chip", "release"), [("cuda:80", (8, 4)), ("cuda:120", (8, 7)), ("hip:gfx942", (0, 0))]
)
def test_the_release_of_ptx(chip: str, release: tuple[int, int]) -> None:
    assert target(chip).ptx_release == release


@pytest.mark.parametrize(
    ("chip", "registers", "warps"),
    [
        ("gfx942", 0, 8),
        ("gfx942", 64, 8),
        ("gfx942", 65, 7),
        ("gfx942", 512, 1),
        ("gfx1201", 97, 12),
        ("gfx1102", 97, 9),
    ],
)
def test_warps_that_fit(chip: str, registers: int, warps: int) -> None:
    assert target(chip).warps_per_simd(registers) == warps
    assert target(chip).vector_registers_for(warps) >= registers


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lds_bytes", "lds_byte", "gfx942/chip.toml: unknown fact lds_byte"),
        ("lds_bytes = {", "# lds_bytes = {", "gfx942/chip.toml: fact lds_bytes is missing"),
        ("value = 64,", 'value = "64",', "threads_per_warp must be an integer"),
        ("value = 64,", "value = true,", "threads_per_warp must be an integer"),
        ("value = 64,", "value = 48,", "threads_per_warp must be a power of two"),
        ('source = "amd" }', 'source = "hearsay" }', "a source that is not listed"),
        ("{ value = 64,", "{ values = 64,", "threads_per_warp must be { value = …, source = … }"),
        ("value = [1, 1, 1]", "value = [1, 1]", "min_dot_size must be m, n, k"),
        ("value = [1, 1, 1]", 'value = ["1", 1, 1]', "min_dot_size must be a list of integers"),
        ('value = "tf32"', 'value = "tf33"', "default_dot_input_precision must be an allowed one"),
        (
            "default_num_warps = { value = 4",
            "default_num_warps = { value = 32",
            "the default launch exceeds",
        ),
        (
            'value = "gfx942", source = "triton"',
            'value = "gfx941", source = "triton"',
            "folder's name",
        ),
        ("[sources]", "[origins]", "unknown table origins"),
        ('triton = "Triton', 'more = 1\ntriton = "Triton', "source more must be a string"),
        ("[sources]", "[sources", "invalid TOML"),
        (
            "deprecated_fp8_dot_operand_dtypes = { value = []",
            'deprecated_fp8_dot_operand_dtypes = { value = ["fp8"]',
            "a deprecated dtype must be a supported one",
        ),
    ],
)
def test_refuses(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(WeftError) as caught:
        read_chip(TEXT.replace(old, new, 1), "gfx942")
    assert message in str(caught.value)


def test_unknown_fact_has_a_hint() -> None:
    text = TEXT.replace("lds_bytes", "lds_byte", 1)
    with pytest.raises(WeftError) as caught:
        read_chip(text, "gfx942")
    assert caught.value.hint == "did you mean lds_bytes?"
