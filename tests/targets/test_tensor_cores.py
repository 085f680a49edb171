"""Matrix instruction families of NVIDIA chips: what the rows hold, and what the reader refuses."""

from __future__ import annotations

import pytest

from weft.errors import UnknownTargetError, WeftError
from weft.targets import known_targets
from weft.targets.loading import chip_file
from weft.targets.tensor_cores import read_tensor_cores, tensor_cores

TEXT = chip_file("tensor_cores", "sm_90").read_text("utf-8")
BLACKWELL = chip_file("tensor_cores", "sm_100").read_text("utf-8")

FMA_ONLY = ("cuda:70", "cuda:75")  # Triton has no layouts for their tensor cores


def test_every_chip_of_nvidia_has_rows():
    for name in known_targets():
        if name in FMA_ONLY:
            assert not tensor_cores(name).families
        elif name.startswith("cuda:"):
            assert tensor_cores(name).families[-1].instruction == "mma.sync"


def test_the_preferred_family_comes_first():
    assert [f.version for f in tensor_cores("cuda:90").families] == [3, 2]
    assert [f.version for f in tensor_cores("cuda:100").families] == [5, 2]
    assert [f.version for f in tensor_cores("cuda:120").scaled] == [2]


def test_fp8_is_native_to_few():
    native = [
        name
        for name in known_targets()
        if name.startswith("cuda:")
        and name not in FMA_ONLY
        and not tensor_cores(name).version(2).widened
    ]
    assert sorted(native) == ["cuda:120", "cuda:89"]


def test_a_chip_without_rows():
    with pytest.raises(UnknownTargetError) as caught:
        tensor_cores("cuda:91")
    assert "no tensor cores are listed for target cuda:91" in str(caught.value)
    assert "cuda:90" in str(caught.value)
    with pytest.raises(UnknownTargetError, match="an unnamed target"):
        tensor_cores("")


def test_an_unknown_version():
    with pytest.raises(UnknownTargetError) as caught:
        tensor_cores("cuda:80").version(3)
    assert "sm_80 has no matrix instructions of version 3" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[sources]", "[sources", "invalid TOML"),
        ("[[families]]", "[[family]]", "unknown table family"),
        ("k_bytes = 32\n", "", "family wgmma.mma_async: key k_bytes is missing"),
        ("k_bytes = 32\n", "k_byte = 32\n", "family wgmma.mma_async: unknown key k_byte"),
        ("k_bytes = 32\n", "k_bytes = true\n", "k_bytes must be an integer"),
        ("whole_k = true\n", "whole_k = 1\n", "whole_k must be true or false"),
        ("k_bytes = 32\n", "k_bytes = 33\n", "k_bytes must be a power of two"),
        ("ranks = [2]\n", 'ranks = ["2"]\n', "ranks must be a list of integers"),
        ("warps = [4, 8, 16, 32]", "warps = [4, 12]", "warps must be powers of two"),
        ('source = "ptx"', 'source = "hearsay"', "has a source that is not listed"),
        ('"f8E5M2", "f8E4M3FN", "f16"', '"f8E5M3", "f16"', "operands has an unknown item f8E5M3"),
        ('transposable = ["f16"', 'transposable = ["f15"', "transposable has an unknown item f15"),
        ("version = 3", "version = 4", "version and instruction do not match"),
        ("n = [256, 248,", "n = [256, 250,", "n must be multiples of 8"),
        ("m_of_f64 = 16\n", "", "f64 operands need m_of_f64 and k_of_f64"),
        ("least_imprecise = 32\n", "memory_columns = 512\n", "version 5, and no other, has memory"),
    ],
)
def test_refuses(old, new, message):
    assert old in TEXT
    with pytest.raises(WeftError) as caught:
        read_tensor_cores(TEXT.replace(old, new, 1), "sm_90")
    assert message in str(caught.value)


def test_formats_of_scaled_rows_are_checked():
    with pytest.raises(WeftError, match="formats has an unknown item e9m9"):
        read_tensor_cores(BLACKWELL.replace('["e4m3", "e5m2"', '["e9m9", "e5m2"', 1), "sm_100")
