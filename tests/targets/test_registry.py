"""The names of chips, and their facts typed a second time from Triton's sources of truth."""

from __future__ import annotations

from typing import Any

import pytest

from weft.errors import UnknownTargetError
from weft.targets import Target, known_targets, target

# Typed from the output of Triton's backends and from the vendors' tables, not from the files.
EXPECTED = {
    "cuda:70": (32, 96 * 1024, 1, "tf32", 0),
    "cuda:75": (32, 64 * 1024, 1, "tf32", 0),
    "cuda:80": (32, 163 * 1024, 1, "tf32", 0),
    "cuda:86": (32, 99 * 1024, 1, "tf32", 0),
    "cuda:89": (32, 99 * 1024, 1, "tf32", 0),
    "cuda:90": (32, 227 * 1024, 16, "tf32", 2**30),
    "cuda:100": (32, 227 * 1024, 16, "tf32", 0),
    "cuda:120": (32, 99 * 1024, 16, "tf32", 0),
    "hip:gfx908": (64, 64 * 1024, 1, "ieee", 0),
    "hip:gfx90a": (64, 64 * 1024, 1, "ieee", 0),
    "hip:gfx942": (64, 64 * 1024, 1, "tf32", 0),
    "hip:gfx950": (64, 160 * 1024, 1, "ieee", 0),
    "hip:gfx1100": (32, 64 * 1024, 1, "ieee", 0),
    "hip:gfx1201": (32, 64 * 1024, 1, "ieee", 0),
    "hip:gfx1250": (32, 320 * 1024, 16, "ieee", 0),
    "cpu": (1, 0, 1, "ieee", 0),
}


def test_every_chip_is_expected() -> None:
    assert set(known_targets()) == set(EXPECTED)
    assert (
        known_targets().index("cuda:80")
        < known_targets().index("cuda:90")
        < known_targets().index("cuda:100")
    )


@pytest.mark.parametrize("name", EXPECTED)
def test_facts(name: str) -> None:
    chip = target(name)
    entry = (
        chip.threads_per_warp,
        chip.lds_bytes,
        chip.max_num_ctas,
        chip.default_dot_input_precision,
        chip.max_num_imprecise_acc_default,
    )
    assert entry == EXPECTED[name]
    assert str(chip) == name
    assert chip.warp_size == chip.threads_per_warp


def test_fp8_facts() -> None:
    assert target("cuda:80").supported_fp8_dtypes == ("fp8e4b15", "fp8e5")
    assert target("cuda:89").supported_fp8_dtypes == ("fp8e4b15", "fp8e4nv", "fp8e5")
    assert target("cuda:89").deprecated_fp8_dot_operand_dtypes == ()
    assert target("cuda:90").deprecated_fp8_dot_operand_dtypes == ("fp8e4b15",)
    assert target("gfx950").deprecated_fp8_dot_operand_dtypes == ("fp8e4b8", "fp8e5b16")
    assert "tf32" in target("gfx942").allowed_dot_input_precisions
    assert "tf32" not in target("gfx90a").allowed_dot_input_precisions


def test_generations() -> None:
    assert target("gfx942").generation == "cdna3"
    assert target("gfx950").generation == "cdna4"
    assert target("cuda:120").generation == target("cuda:100").generation == "blackwell"
    assert target("gfx942").realtime_clock.split() == [
        "s_memrealtime",
        "$0",
        "s_waitcnt",
        "vmcnt(0)",
    ]
    assert "s_wait_kmcnt 0" in target("gfx1201").realtime_clock
    assert target("cuda:90").realtime_clock == ""


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("gfx942", "hip:gfx942"),
        ("hip:gfx942", "hip:gfx942"),
        ("sm_90", "cuda:90"),
        ("sm90", "cuda:90"),
        ("cuda:sm90", "cuda:90"),
        ("cuda:sm_120", "cuda:120"),
        ("90", "cuda:90"),
        ("cpu", "cpu"),
    ],
)
def test_names(name: str, full: str) -> None:
    assert target(name) is target(full)
    assert isinstance(target(name), Target)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("gfx940", "gfx9"),
        ("cuda:72", "cuda:"),
        ("hip:gfx941", "hip:gfx942"),
        ("h100s", "did you mean H100 or "),
        ("RTX4090", "did you mean RTX 4090 or "),
    ],
)
def test_unknown_lists_the_known(name: str, near: str) -> None:
    with pytest.raises(UnknownTargetError) as caught:
        target(name)
    text = str(caught.value)
    assert f"unknown target {name}" in text
    assert all(chip in text for chip in known_targets())
    assert caught.value.hint is not None
    assert near in caught.value.hint


@pytest.mark.oracle
@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "cpu"])
def test_facts_are_those_of_triton(name: str) -> None:
    pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    chip = target(name)
    backend: Any = make_backend(GPUTarget(chip.backend, chip.arch, chip.threads_per_warp))
    theirs: Any = backend.parse_options({})
    for key in (
        "allowed_dot_input_precisions",
        "supported_fp8_dtypes",
        "deprecated_fp8_dot_operand_dtypes",
        "max_num_imprecise_acc_default",
    ):
        ours = getattr(chip, key)
        if isinstance(ours, tuple):
            assert set(ours) == set(getattr(theirs, key)), key
        else:
            assert ours == getattr(theirs, key), key
    # tl.dot takes tf32 wherever it is allowed, whatever the option says.
    effective = "tf32" if "tf32" in theirs.allowed_dot_input_precisions else "ieee"
    assert effective == chip.default_dot_input_precision
    assert theirs.num_warps == chip.default_num_warps
    assert theirs.num_stages == chip.default_num_stages


@pytest.mark.parametrize(
    ("board", "chip"),
    [
        ("H100", "cuda:90"),
        ("h200", "cuda:90"),
        ("H100 SXM", "cuda:90"),
        ("NVIDIA H100 80GB HBM3", "cuda:90"),
        ("A100", "cuda:80"),
        ("A10", "cuda:86"),
        ("RTX 4090", "cuda:89"),
        ("MI300X", "hip:gfx942"),
    ],
)
def test_boards_name_their_chip(board: str, chip: str) -> None:
    assert target(board).name == chip


def test_part_of_a_word_names_no_board() -> None:
    with pytest.raises(UnknownTargetError):
        target("MI3")
