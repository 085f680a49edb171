"""The builtins of Gluon and their implementations."""

from __future__ import annotations

import importlib

import pytest

from weft.frontend.semantics import gluon as implementations
from weft.gluon.builtin import GluonBuiltin

DECLARATIONS = (
    "core",
    "amd.cdna3",
    "amd.cdna4",
    "amd.cdna4.async_copy",
    "amd.gfx1250",
    "amd.gfx1250.async_copy",
    "amd.gfx1250.cluster",
    "amd.gfx1250.mbarrier",
    "amd.gfx1250.tdm",
    "amd.rdna3",
    "amd.rdna4",
    "amd.warp_pipeline",
    "nvidia.ampere",
    "nvidia.ampere.async_copy",
    "nvidia.ampere.mbarrier",
    "nvidia.blackwell",
    "nvidia.blackwell.tma",
    "nvidia.hopper",
    "nvidia.hopper.cluster",
    "nvidia.hopper.mbarrier",
    "nvidia.hopper.tma",
)


def declared() -> set[str]:
    """List the qualified names of all declarations."""
    builtins: list[object] = []
    for name in DECLARATIONS:
        builtins += vars(importlib.import_module(f"weft.gluon.{name}")).values()
    for name in ("shared_memory", "nvidia.blackwell.tensor_memory"):
        builtins += importlib.import_module(f"weft.gluon.{name}").METHODS.values()
    return {
        each.qualified_name.removeprefix("gluon.")
        for each in builtins
        if isinstance(each, GluonBuiltin)
    }


def test_every_declaration_has_an_implementation():
    names = {name for names in implementations.MODULES.values() for name in names.split()}
    assert names == declared()


@pytest.mark.parametrize("module", implementations.MODULES)
def test_the_list_of_names_is_that_of_the_table(module):
    table = importlib.import_module(f"weft.frontend.semantics.gluon.{module}").TABLE
    assert sorted(implementations.MODULES[module].split()) == sorted(table)
