"""The names of modules below `triton`."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

from weft.compat.as_triton import as_triton
from weft.compat.modules import counterpart, module_names


def test_every_module_can_be_imported():
    with as_triton():
        for name in module_names():
            assert importlib.import_module(name).__name__ == counterpart(name)


@pytest.mark.parametrize(
    "name",
    [
        "triton.language.arithmetic", "triton.test_support", "triton.semantic",
        "triton.runtime.allocation", "triton.backends.cpu", "triton.profiler.records",
        "triton.experimental.gluon.language.layouts.text", "triton.language.extra.math_library",
    ],
)  # fmt: skip
@as_triton()
def test_modules_of_weft_have_no_name_below_triton(name):
    assert counterpart(name) is None
    with pytest.raises(ModuleNotFoundError, match="weft has no counterpart of triton"):
        importlib.import_module(name)


@pytest.mark.parametrize("name", ["", ".translator", ".translator_helpers"])
@as_triton()
def test_what_to_do_without_the_translator_to_gluon(name):
    with pytest.raises(ModuleNotFoundError, match=r"translates no kernel to Gluon; write it with"):
        importlib.import_module(f"triton.tools.triton_to_gluon_translater{name}")


# Modules that a program must import: `import triton` and Gluon do not.
_NOT_ATTRIBUTES = {
    "triton._filecheck",
    "triton._internal_testing",
    "triton.compiler.make_launcher",
    "triton.experimental.gluon.language.nvidia.blackwell.float2",
    "triton.profiler.language",
    "triton.profiler.proton",
    "triton.profiler.viewer",
    "triton.tools.build_extern",
    "triton.tools.compile",
    "triton.tools.link",
    "triton.tools.mxfp",
    "triton.tools.ragged_tma",
    "triton.tools.tensor_descriptor",
}
_WALK = """
import sys
if {as_triton}:
    from weft.compat.as_triton import install
    install()
import triton, triton.experimental.gluon.language, triton.profiler
for name in sys.argv[1:]:
    module = triton
    for attribute in name.split(".")[1:]:
        module = getattr(module, attribute, None)
    if module is None:
        print(name)
"""


def modules_to_import(as_triton: bool) -> set[str]:
    """List the modules that are no attributes after the import of `triton` in a new process."""
    program = _WALK.format(as_triton=as_triton)
    arguments = [sys.executable, "-c", program, *module_names()]
    result = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return {*result.stdout.split()}


def test_modules_are_attributes_of_their_packages():
    assert modules_to_import(as_triton=True) <= _NOT_ATTRIBUTES


@pytest.mark.oracle
def test_triton_has_no_more_attributes():
    assert modules_to_import(as_triton=False) >= _NOT_ATTRIBUTES


@pytest.mark.oracle
def test_the_names_are_tritons():
    import triton

    names = {each.name for each in pkgutil.walk_packages(triton.__path__, "triton.")}
    native = {name for name in module_names() if name.startswith("triton._C")}
    assert {*module_names()} - native - {"triton"} <= names
    assert names - {*module_names()} == {
        "triton.experimental.gluon._compiler",
        "triton.experimental.gluon.language._semantic",
        "triton.experimental.gluon.language.amd._ops",
    }
