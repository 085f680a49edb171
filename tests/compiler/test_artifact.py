"""Compiled kernels and their form in the disk cache."""

from __future__ import annotations

import json

import pytest

from weft.codegen.backend import nvdisasm
from weft.compiler.artifact import Artifact, KernelInfo, StageOutputs, TensorMapInfo
from weft.compiler.cache import CacheEntry
from weft.compiler.options import CompileOptions
from weft.errors import CodegenError

INFO = KernelInfo(
    "add",
    "cuda:90",
    "*fp16, tensordesc<fp16[64, 32]>",
    ("P", "128s"),
    128,
    1024,
    CompileOptions(num_warps=8),
    (TensorMapInfo((64, 32), 64, "f16"),),
    256,
)


def test_artifacts_round_trip_through_the_cache():
    artifact = Artifact("key", INFO, {"ptx": b"text"})
    metadata = json.loads(json.dumps(artifact.cache_metadata()))
    assert Artifact.from_cache("key", CacheEntry(metadata, artifact.blobs)) == artifact


def test_the_driver_loads_the_cubin_if_there_is_one():
    assert Artifact("key", INFO, {"ptx": b"text"}).image == b"text"
    assert Artifact("key", INFO, {"ptx": b"text", "cubin": b"ELF"}).image == b"ELF"


def test_sass_is_the_cubin_disassembled(monkeypatch):
    monkeypatch.setattr(nvdisasm, "disassemble", lambda cubin: f"EXIT {cubin!r}")
    outputs = StageOutputs({"ptx": b"text", "cubin": b"ELF"})
    assert outputs["sass"] == "EXIT b'ELF'"
    assert "sass" not in dict(outputs)
    with pytest.raises(KeyError, match="Unknown key: 'sass'"):
        StageOutputs({"ptx": b"text"})["sass"]
    monkeypatch.setattr(nvdisasm, "disassemble", lambda cubin: None)
    with pytest.raises(CodegenError, match="Cannot find nvdisasm"):
        outputs["sass"]


def test_outputs_of_stages_are_text_or_bytes():
    outputs = StageOutputs({"ptx": b"text", "cubin": b"\0"})
    assert (outputs["ptx"], outputs["cubin"]) == ("text", b"\0")
    assert dict(outputs) == {"ptx": "text", "cubin": b"\0"}
    assert "llir" not in outputs
    assert len(outputs) == 2
    with pytest.raises(KeyError, match="Unknown key: 'llir'; the stages are ptx, cubin"):
        outputs["llir"]
