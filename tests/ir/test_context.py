"""The dialects and what they register."""

from __future__ import annotations

from weft.ir import arith
from weft.ir.context import DIALECTS, context, names_of, operations, unregistered


def test_every_dialect_is_loaded() -> None:
    assert {dialect.name for dialect in DIALECTS} == {
        "builtin", "arith", "math", "scf", "cf", "ub", "tt", "ttg", "ttng", "nvws", "amdg",
        "rocdl", "gluon", "gpu", "llvm",
    }  # fmt: skip
    assert context() is context()
    assert context().get_optional_op("arith.addi") is arith.AddIOp


def test_operations_are_listed_by_name() -> None:
    assert operations()["arith.addi"] is arith.AddIOp
    assert all(name == cls.name for name, cls in operations().items())
    assert "builtin.module" not in operations()


def test_names_of_types_and_attributes() -> None:
    assert {"tt.ptr", "ttg.memdesc", "nvws.token"} <= names_of(types=True)
    assert {"ttg.shared_memory", "ttng.redOp"} <= names_of(types=False)
    assert not names_of(types=True) & names_of(types=False)


def test_unregistered_operations() -> None:
    cls = unregistered("other.thing")
    assert cls is not None
    assert cls.name == "other.thing"
    assert unregistered("other.thing") is cls
    assert unregistered("arith.unknown") is None
    assert unregistered("") is None
    without_dialect = unregistered("thing")
    assert without_dialect is not None
    assert (without_dialect.name, without_dialect.dialect_name()) == ("thing", "")
