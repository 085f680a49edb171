"""Triton's objects are recognised without importing Triton."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

import weft.language as tl
from weft.errors import CompilationError
from weft.language import triton_module
from weft.language.from_triton import is_from_triton, resolve, triton_counterpart


def stand_in(module: str, kind: str, /, **members: object) -> object:
    """Create an instance of a class `kind` that claims to be defined in `module`."""
    return type(kind, (SimpleNamespace,), {"__module__": module})(**members)


def function(module: str, name: str) -> object:
    def stub() -> None: ...

    stub.__module__, stub.__name__ = module, name
    return stub


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("triton.language.core", "load", tl.load),
        ("triton.language.math", "exp", tl.exp),
        ("triton.language.extra.cuda.libdevice", "tanh", tl.extra.cuda.libdevice.tanh),
        ("triton.language.standard", "sum", tl.sum),
        ("triton", "cdiv", triton_module.cdiv),
    ],
)
def test_functions(module, name, expected):
    assert resolve(function(module, name)) == expected


def test_values():
    float32 = stand_in("triton.language.core", "dtype", name="fp32")
    assert resolve(float32) == tl.float32
    assert resolve(stand_in("triton.language.core", "constexpr", value=float32)).value == tl.float32
    pointer = stand_in(
        "triton.language.core", "pointer_type", element_ty=float32, address_space=1, const=True
    )
    assert resolve(pointer) == tl.pointer_type(tl.float32, const=True)
    block = stand_in("triton.language.core", "block_type", element_ty=float32, shape=[8])
    assert resolve(block) == tl.block_type(tl.float32, [8])


def test_kernel_functions():
    library = stand_in(
        "triton.runtime.jit", "JITFunction", fn=function("triton.language.standard", "softmax")
    )
    assert resolve(library) is tl.softmax
    own = stand_in("triton.runtime.jit", "JITFunction", fn=function("my_kernels", "add"))
    assert resolve(own) is None
    compile_time = stand_in("triton.runtime.jit", "ConstexprFunction", fn=len)
    assert resolve(compile_time)([1, 2]) == 2


def test_private_library_functions_are_compiled_from_source():
    private = function("triton.language.standard", "_half")
    combine = stand_in("triton.runtime.jit", "JITFunction", fn=private)
    assert resolve(combine) is None
    compile_time = stand_in("triton.runtime.jit", "ConstexprFunction", fn=private)
    assert resolve(compile_time).fn is private


def test_unknown_library_function_is_an_error():
    public = stand_in(
        "triton.runtime.jit", "JITFunction", fn=function("triton.language.standard", "no_such")
    )
    with pytest.raises(CompilationError, match=r"unknown function tl\.no_such"):
        resolve(public)


def test_modules():
    assert resolve(ModuleType("triton")) is triton_module
    assert resolve(ModuleType("triton.language")) is tl
    assert resolve(ModuleType("triton.language.core")) is tl
    assert resolve(ModuleType("triton.language.math")) is tl.math
    assert resolve(ModuleType("triton.runtime")) is None


def test_other_objects_have_no_counterpart():
    assert resolve(len) is None
    assert not is_from_triton(function("tritonic", "load"))


def test_unknown_function():
    with pytest.raises(CompilationError) as caught:
        resolve(function("triton.language.core", "lod"))
    assert "unknown function tl.lod" in str(caught.value)


def test_functions_of_module_triton():
    assert triton_module.cdiv(10, 4) == 3
    assert [triton_module.next_power_of_2(n) for n in (0, 1, 2, 3, 1000)] == [0, 1, 2, 4, 1024]


def test_import_needs_no_triton_and_no_xdsl():
    check = "import sys, weft.language; sys.exit(any(m in sys.modules for m in ('triton', 'xdsl')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.oracle
def test_every_object_of_triton_language():
    theirs = pytest.importorskip("triton.language")
    import triton

    # "semantic" exists only after Triton has compiled something in this process.
    internal = {"slice", "tensor_descriptor_type", "target_info", "semantic"}
    for name in dir(theirs):
        if name.startswith("_") or name in internal:
            continue
        counterpart = resolve(getattr(theirs, name))
        if not isinstance(getattr(theirs, name), int):
            assert counterpart is not None, name
    assert resolve(triton.cdiv) is triton_module.cdiv
    assert resolve(theirs.PropagateNan.ALL) == tl.PropagateNan.ALL


def test_triton_counterpart_of_a_module(monkeypatch):
    theirs = ModuleType("triton.language.standard")
    monkeypatch.setitem(sys.modules, theirs.__name__, theirs)
    assert triton_counterpart(tl.standard) is theirs
    monkeypatch.delitem(sys.modules, theirs.__name__)
    assert triton_counterpart(tl.standard) is None
    assert triton_counterpart(ModuleType("numpy")) is None
