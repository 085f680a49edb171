"""The hook that sees the stages of a compilation and may replace their functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from tests.launch.fake_cuda import FakeCuda, Tensor
from weft import knobs
from weft.compiler.build import build
from weft.compiler.options import options_for
from weft.compiler.signature import Signature
from weft.compiler.source_language import Language
from weft.errors import OptionError
from weft.experimental import gluon
from weft.targets import target

CHIPS = {
    "cuda:90": ("ttir", "ttgir", "llir", "ptx", "cubin"),
    "hip:gfx942": ("ttir", "ttgir", "llir", "amdgcn", "hsaco"),
}
Edit = Callable[[Any, dict[str, Any], Any], None]


@weft.jit
def double(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 2)


@gluon.jit
def nothing():
    pass


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path) -> Iterator[None]:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    with knobs.runtime.scope():
        yield


def set_hook(edit: Edit, key: str = "key", digest: str = "1") -> list[tuple[Any, ...]]:
    """Set a hook that edits the stages; return a list of the arguments of its calls."""
    calls: list[tuple[Any, ...]] = []

    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if stages is None:
            return key, digest
        calls.append((backend, tuple(stages), options, language, capability))
        edit(backend, stages, options)
        return None

    knobs.runtime.add_stages_inspection_hook = hook
    return calls


def compiled(chip: str, kernel: Any = double, **options: object) -> Any:
    signature = Signature.of(kernel, "*fp32:16, 128" if kernel is double else "")
    chip_target = target(chip)
    return build(kernel, signature, options_for(chip_target, options), chip_target)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_hook_gets_the_stages(chip):
    plain = compiled(chip)
    calls = set_hook(lambda *_: None)
    hooked = compiled(chip, num_warps=4)
    ((backend, stages, options, language, capability),) = calls
    assert stages == tuple(plain.blobs) == tuple(hooked.blobs)
    assert set(CHIPS[chip]) - set(stages) <= {"cubin"}  # which needs a ptxas
    assert (language, options.num_warps) == (Language.TRITON, 4)
    assert capability == (90 if chip == "cuda:90" else None)
    assert f"{backend.target.backend}:{backend.target.arch}" == chip
    assert dict(hooked.blobs) == dict(plain.blobs)
    assert hooked.info == plain.info
    assert hooked.hash != plain.hash


@pytest.mark.parametrize("chip", CHIPS)
def test_a_function_that_calls_the_stage_of_the_back_end(chip):
    modules: list[str] = []
    capability = (90,) if chip == "cuda:90" else ()

    def edit(backend, stages, options):
        def make_ttgir(src, metadata):
            modules.append(str(src))
            assert metadata["num_warps"] == options.num_warps
            return backend.make_ttgir(src, metadata, options, *capability)

        stages["ttgir"] = make_ttgir

    set_hook(edit)
    hooked = compiled(chip)
    assert "tt.load" in modules[0]
    assert "#blocked" not in modules[0]
    knobs.runtime.add_stages_inspection_hook = None
    assert dict(compiled(chip).blobs) == dict(hooked.blobs)


def edit_text(stage: str, pattern: str, text: str) -> Edit:
    """Make an edit that replaces text in the output of a stage."""

    def edit(backend, stages, options):
        make = stages[stage]
        stages[stage] = lambda src, metadata: re.sub(pattern, text, make(src, metadata))

    return edit


def test_an_edited_text_is_what_the_next_stages_compile():
    minus_two = b"0fC0000000"
    assert minus_two not in compiled("cuda:90").blobs["ptx"]
    set_hook(edit_text("llir", r"f(mul|add) (contract )?float", "fsub float"))
    blobs = compiled("cuda:90").blobs
    assert b"fsub float" in blobs["llir"]
    assert minus_two in blobs["ptx"]  # LLVM adds it


def test_edited_assembly():
    set_hook(edit_text("ptx", r"\.reqntid 128", ".maxntid 128"))
    blobs = compiled("cuda:90").blobs
    assert b".maxntid 128" in blobs["ptx"]


def test_metadata_that_stages_add():
    names: dict[str, set[str]] = {}

    def edit(backend, stages, options):
        for name, make in tuple(stages.items()):
            stages[name] = recording(name, make)

    def recording(name, make):
        def run(src, metadata):
            names[name] = {"shared", "name"} & metadata.keys()
            return make(src, metadata)

        return run

    set_hook(edit)
    compiled("hip:gfx942")
    assert names["llir"] == set()
    assert names["amdgcn"] == {"shared"}
    assert names["hsaco"] == {"shared", "name"}


def test_the_language_of_gluon():
    calls = set_hook(lambda *_: None)
    compiled("cuda:90", nothing)
    ((_, stages, _, language, _),) = calls
    assert language is Language.GLUON
    assert stages[0] == "ttgir"


def test_the_key_and_the_digest_are_part_of_the_kernel():
    calls = set_hook(lambda *_: None, "a", "1")
    first = compiled("cuda:90")
    assert compiled("cuda:90").hash == first.hash
    assert len(calls) == 1  # the second one is from the disk cache
    others = [("b", "1"), ("a", "2")]
    for key, digest in others:
        set_hook(lambda *_: None, key, digest)
        assert compiled("cuda:90").hash != first.hash


def test_a_loaded_kernel_is_compiled_again_for_another_digest(monkeypatch):
    gpu, kernel = FakeCuda(monkeypatch), weft.jit(double.fn)
    digest = ["1"]
    calls = set_hook(lambda *_: None)
    hook: Any = knobs.runtime.add_stages_inspection_hook
    knobs.runtime.add_stages_inspection_hook = lambda *args: (
        hook(*args) if args else ("k", digest[0])
    )
    first = kernel[(1,)](Tensor(), 32)
    assert kernel[(1,)](Tensor(), 32) is first
    digest[0] = "2"
    assert kernel[(1,)](Tensor(), 32) is not first
    digest[0] = "1"
    assert kernel[(1,)](Tensor(), 32) is first
    assert len(calls) == 2
    assert len(gpu.launches) == 4


def test_the_cpu_device_has_one_stage():
    modules: list[str] = []

    def edit(backend, stages, options):
        make = stages["ttir"]

        def run(src, metadata):
            module = make(src, metadata)
            modules.append(str(module))
            return module

        stages["ttir"] = run

    calls = set_hook(edit)
    x = np.ones(64, np.float32)
    weft.jit(double.fn)[(1,)](x, 64)
    assert (x == 2).all()
    assert calls[0][1] == ("ttir",)
    assert "tt.store" in modules[0]


def returns(stage: str, value: object) -> Edit:
    return lambda backend, stages, options: stages.update({stage: lambda src, metadata: value})


def other_capability(backend, stages, options):
    stages["ttgir"] = lambda src, metadata: backend.make_ttgir(src, metadata, options, 80)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (returns("ttir", None), "function of stage ttir must return its output"),
        (returns("ttgir", "text"), "the input of stage llir must have a module"),
        (returns("llir", "text"), "stage ptx needs the output of make_llir"),
        (lambda backend, stages, options: stages.clear(), "do not lower the kernel"),
        (other_capability, "compiles for the kernel's target"),
    ],
)
def test_stages_that_do_not_fit(edit, message):
    set_hook(edit)
    with pytest.raises(OptionError, match=message):
        compiled("cuda:90")


def test_there_is_no_hook_by_default():
    assert knobs.runtime.add_stages_inspection_hook is None
    assert type(knobs.runtime).add_stages_inspection_hook is None


def test_a_hook_without_a_key():
    knobs.runtime.add_stages_inspection_hook = lambda *args: None
    with pytest.raises(OptionError, match="must return a key and a digest"):
        compiled("cuda:90")
