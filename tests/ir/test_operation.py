"""An operation is defined when it is first made, and nobody can tell."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.irdl import operand_def, opt_operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from weft.ir.operation import Op, operation
from weft.ir.tt import GetProgramIdOp

_WALK = """
import importlib, pkgutil, weft.ir
from weft.ir.operation import Op
for module in pkgutil.walk_packages(weft.ir.__path__, "weft.ir."):
    importlib.import_module(module.name)

def below(cls):
    for one in cls.__subclasses__():
        yield one
        yield from below(one)

count = 0
for cls in below(Op):
    if "name" in cls.__dict__:
        assert "DEFAULTS" not in cls.__dict__, f"{cls.name} was defined by an import"
        before = set(cls.traits)
        definition = cls.get_irdl_definition()
        assert definition.name == cls.name
        assert set(cls.traits) == before, cls.name
        assert cls.get_irdl_definition() is definition
        count += 1
print(count)
"""


def make() -> type[Op]:
    """Declare an operation that nobody has made yet."""

    @operation
    class Probe(Op):
        """Only of this test."""

        name = "test.probe"
        one = operand_def()
        other = opt_operand_def()
        width = prop_def(Attribute, default_value=i32)
        hint = opt_prop_def(Attribute)
        result = result_def()
        traits = traits_def(Pure())
        FORMAT: ClassVar[str] = "$one attr-dict"

    return Probe


def test_importing_the_dialects_defines_no_operation():
    done = subprocess.run([sys.executable, "-c", _WALK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 200


@pytest.mark.parametrize("how", ["create", "build"])
def test_the_first_of_its_kind_has_defaults_and_accessors(how):
    value = GetProgramIdOp.create(properties={}, result_types=[i32]).results[0]
    probe = make()
    assert probe.has_trait(Pure)
    assert "DEFAULTS" not in probe.__dict__
    if how == "create":
        made = probe.create(operands=[value], result_types=[i32])
    else:
        made = probe(operands=[value, None], result_types=[i32])
    assert "DEFAULTS" in probe.__dict__
    assert made.properties == {"width": i32}
    assert made.one is value  # pyright: ignore[reportAttributeAccessIssue]
    assert made.hint is None  # pyright: ignore[reportAttributeAccessIssue]
    assert made.result is made.results[0]  # pyright: ignore[reportAttributeAccessIssue]
    made.verify()


def test_many_threads_define_it_once():
    for _ in range(20):
        probe = make()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _, cls=probe: cls.get_irdl_definition(), range(8)))
        assert all(one is found[0] for one in found)
        assert probe.DEFAULTS == {"width": i32}


def test_an_operation_has_a_name():
    class Nameless(Op):
        """Has none."""

    with pytest.raises(TypeError, match="Nameless has no name"):
        operation(Nameless)
