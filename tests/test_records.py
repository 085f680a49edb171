"""Records are dataclasses in all that weft uses of them, and compile nothing ahead of time."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import ClassVar, Generic, TypeVar

import pytest

from weft import records
from weft.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tile:
    """Two sizes, and a name that does not count."""

    kind: ClassVar[str] = "tile"
    rows: int
    columns: int = 1
    name: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Padded(Tile):
    """A tile with more."""

    padding: tuple[int, ...] = ()


@dataclass(slots=True)
class Counter(Generic[T]):
    """Something that changes."""

    start: T
    seen: list[T] = field(default_factory=list)
    total: int = field(default=0, init=False)
    marks: list[str] = field(default_factory=lambda: ["first"], init=False)

    def __post_init__(self) -> None:
        self.seen.append(self.start)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No fields."""


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """What dataclasses makes of the fields of Tile."""

    rows: int
    columns: int = 1
    name: str = dataclasses.field(default="", compare=False, repr=False)


def test_constructors_take_what_those_of_dataclasses_take():
    assert Tile(2) == Tile(2, 1) == Tile(rows=2, columns=1, name="x")
    assert (Tile(2).rows, Tile(2).columns, Tile.kind) == (2, 1, "tile")
    assert Padded(1, 2, "n", (3,)).padding == (3,)
    for wrong in ((), (1, 2, "", 4)):
        with pytest.raises(TypeError) as ours:
            Tile(*wrong)
        with pytest.raises(TypeError) as theirs:
            Known(*wrong)
        assert str(ours.value) == str(theirs.value).replace("Known", "Tile")
    with pytest.raises(TypeError, match=r"Tile\.__init__\(\) got an unexpected keyword"):
        Tile(rows=1, lines=2)  # pyright: ignore[reportCallIssue]


def test_factories_make_a_value_for_each_object():
    one, other = Counter(1), Counter(2, [0])
    assert (one.seen, other.seen, one.total, one.marks) == ([1], [0, 2], 0, ["first"])
    one.marks.append("second")
    assert other.marks == ["first"]
    with pytest.raises(TypeError):
        Counter(1, [], 2)  # pyright: ignore[reportCallIssue]


def test_comparison_and_hash_go_by_class_and_fields():
    assert Tile(1, 2, "a") == Tile(1, 2, "b")
    assert hash(Tile(1, 2, "a")) == hash(Tile(1, 2, "b")) == hash(Known(1, 2))
    assert Tile(1, 2) != Tile(2, 1)
    assert Tile(1, 2) != Padded(1, 2)
    assert Tile(1) != 1
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())
    assert Counter(1) == Counter(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter(1))


def test_methods_of_the_class_come_first():
    @dataclass(frozen=True, slots=True)
    class Own:
        """Says all of it itself."""

        value: int

        def __init__(self, text: str) -> None:
            object.__setattr__(self, "value", int(text))

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.value % 10 == other.value % 10

        def __hash__(self) -> int:
            return self.value % 10

        def __repr__(self) -> str:
            return f"<{self.value}>"

    assert Own("12") == Own("2")
    assert hash(Own("12")) == 2
    assert repr(Own("12")) == "<12>"

    @dataclass(frozen=True, slots=True)
    class Compared:
        """Says what is equal, and not how to hash."""

        value: int

        def __eq__(self, other: object) -> bool:
            return True

    assert Compared(1) == Compared(2)
    assert hash(Compared(1)) == hash((1,))

    @dataclass(frozen=True, slots=True, eq=False, repr=False)
    class Itself:
        """Is equal to itself only."""

        value: int

    assert Itself(1) != Itself(1)
    assert "object at" in repr(Itself(1))


def test_text():
    assert repr(Tile(1, 2, "a")) == "Tile(rows=1, columns=2)"
    assert repr(Padded(1, padding=(2,))) == "Padded(rows=1, columns=1, padding=(2,))"
    ring: Counter[object] = Counter(0)
    ring.seen.append(ring)
    assert repr(ring) == "Counter(start=0, seen=[0, ...], total=0, marks=['first'])"


def test_frozen_is_frozen_and_slots_are_slots():
    tile = Tile(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'rows'"):
        tile.rows = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'rows'"):
        del tile.rows
    counter = Counter(1)
    counter.total = 5
    assert counter.total == 5
    for one in (tile, counter, Padded(1)):
        assert not hasattr(one, "__dict__")
    assert Padded.__slots__ == ("padding",)  # pyright: ignore[reportAttributeAccessIssue]


def test_what_dataclasses_asks_is_answered():
    assert dataclasses.is_dataclass(Tile)
    assert [one.name for one in dataclasses.fields(Padded)] == [
        "rows",
        "columns",
        "name",
        "padding",
    ]
    assert [one.default for one in dataclasses.fields(Tile)][1:] == [1, ""]
    assert dataclasses.replace(Padded(1), columns=4) == Padded(1, 4)
    assert dataclasses.asdict(Tile(1)) == {"rows": 1, "columns": 1, "name": ""}
    assert Tile.__dataclass_params__.frozen  # pyright: ignore[reportAttributeAccessIssue]
    match Padded(1, 2, "n", (3,)):
        case Padded(rows, columns, _, padding):
            assert (rows, columns, padding) == (1, 2, (3,))


def test_copies_and_pickles():
    for one in (Tile(1, 2, "n"), Padded(1, padding=(3,)), Counter(4), Nothing()):
        for other in (
            copy.copy(one),
            copy.deepcopy(one),
            *(pickle.loads(pickle.dumps(one, protocol)) for protocol in (2, 5)),
        ):
            assert other == one
            assert repr(other) == repr(one)
    assert pickle.loads(pickle.dumps(Tile(1, 2, "n"))).name == "n"


def test_an_object_may_come_from_a_pickle_before_any_other():
    @dataclass(frozen=True, slots=True)
    class Fresh:
        """Nobody has called its constructor."""

        value: int

    made = object.__new__(Fresh)
    made.__setstate__([3])  # pyright: ignore[reportAttributeAccessIssue]
    assert (made.value, repr(made)) == (3, f"{Fresh.__qualname__}(value=3)")
    assert made == Fresh(3)
    assert hash(made) == hash(Fresh(3))


def test_nothing_is_compiled_before_the_first_object(monkeypatch):
    written = []
    real = records._constructor
    monkeypatch.setattr(
        records,
        "_constructor",
        lambda cls, listed, **how: written.append(cls) or real(cls, listed, **how),
    )

    @dataclass(frozen=True, slots=True)
    class Late:
        """Made below."""

        value: int

    assert dataclasses.fields(Late)[0].name == "value"
    assert not written
    assert Late(1) == Late(1)
    assert written == [Late]


def test_what_records_are_not_for():
    with pytest.raises(TypeError, match=r"a class without slots is for dataclasses\.dataclass"):
        dataclass(frozen=True, slots=False)

    @dataclasses.dataclass
    class Plain:
        """With a dictionary."""

        value: int = 0

    with pytest.raises(TypeError, match="Derived derives from Plain, which is no record"):

        @dataclass(slots=True)
        class Derived(Plain):
            """Slots that would not hold."""
