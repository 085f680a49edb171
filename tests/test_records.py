"""Records are dataclasses in all that weft uses of them, and compile nothing ahead of time."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar, Generic, TypeVar

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
    wrongs: tuple[Any, ...] = ((), (1, 2, "", 4))
    for wrong in wrongs:
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
        del tile.rows  # pyright: ignore[reportAttributeAccessIssue]
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


# -- the dataclasses of others --------------------------------------------------------------------

OPTIONS = (
    {},
    {"frozen": True},
    {"frozen": True, "init": False},
    {"eq": False},
    {"repr": False},
    {"order": True, "frozen": True},
    {"unsafe_hash": True},
    {"kw_only": True},
)


def declare(decorator: Any, options: dict[str, bool]) -> tuple[Any, Any, Any]:
    """Declare a class, one derived from it, and one that is no dataclass below the first."""

    @decorator(**options)
    class Base:
        kind: ClassVar[str] = "base"
        gone: ClassVar[str] = field(init=False)
        first: Any
        second: int = 2
        third: list[int] = field(default_factory=list, compare=False)

    @decorator(**options)
    class Derived(Base):
        second: int = 3
        fourth: str = field(default="", kw_only=True)

    class Free(Base):
        def __init__(self) -> None:
            super().__init__(1) if options.get("init", True) else None
            self.own = 1

    return Base, Derived, Free


def answers(decorator: Any, options: dict[str, bool]) -> list[Any]:
    """Return what such classes say to all sorts of questions."""
    base, derived, free = declare(decorator, options)
    found: list[Any] = []

    def ask(question: Callable[[], Any]) -> None:
        try:
            found.append(question())
        except (TypeError, AttributeError) as error:
            found.append((type(error), str(error)))

    def make(cls: Any, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        if options.get("init", True):
            made.__init__(*args, **kwargs)
        else:
            for name, value in zip(("first", "second", "third", "fourth"), args, strict=False):
                object.__setattr__(made, name, value)
        return made

    for cls in (base, derived):
        ask(lambda cls=cls: [(one.name, one.default) for one in dataclasses.fields(cls)])
        ask(lambda cls=cls: cls.__dataclass_params__.frozen)
        ask(lambda cls=cls: cls.__match_args__)
        ask(lambda cls=cls: cls.second)
        ask(lambda cls=cls: hasattr(cls, "third") or hasattr(cls, "gone"))
        for args in ((), (1,), (1, 2, [3]), (1, 2, 3, 4, 5), ((1, 2), 5, [])):
            ask(lambda cls=cls, args=args: repr(make(cls, *args)).partition(" object")[0])
            ask(lambda cls=cls, args=args: make(cls, *args) == make(cls, *args))
            ask(lambda cls=cls, args=args: make(cls, *args) == make(cls, 7, 8, []))
            ask(lambda cls=cls, args=args: len({make(cls, *args): 1, make(cls, 1, 2, []): 2}))
            ask(lambda cls=cls, args=args: setattr(make(cls, *args), "first", 5))
            ask(lambda cls=cls, args=args: setattr(make(cls, *args), "other", 5))
            ask(lambda cls=cls, args=args: delattr(make(cls, *args), "first"))
            ask(lambda cls=cls, args=args: dataclasses.asdict(make(cls, *args)))
            ask(lambda cls=cls, args=args: make(cls, *args) < make(cls, 7, 8, []))
        ask(lambda cls=cls: vars(make(cls, first=1, second=3, third=[4])))
    ask(lambda: free().own)
    ask(lambda: setattr(free(), "second", 1))
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_light_classes_answer_as_those_of_dataclasses(options):
    assert answers(records._light, options) == answers(dataclasses.dataclass, options)


@records._light(frozen=True)
class Word:
    """Is hashed often."""

    text: str


def test_a_hash_is_remembered_and_stays_in_its_process():
    words = [Word("a"), Word("a")]
    assert hash(words[0]) == hash(words[1]) == hash(("a",))
    assert vars(words[0])["_hash"] == hash(words[0])
    for other in (copy.copy(words[0]), pickle.loads(pickle.dumps(words[0]))):
        assert vars(other) == {"text": "a"}
        assert other == words[0]
    assert hash(dataclasses.replace(words[0], text="b")) == hash(("b",))


def test_kinds_of_both_sorts_derive_from_each_other():
    light, real = records._light(frozen=True), dataclasses.dataclass(frozen=True)

    @real
    class First:
        one: int

    @light
    class Second(First):
        two: int = 2

    @real
    class Third(Second):
        three: int = 3

    assert repr(Third(1)).endswith("Third(one=1, two=2, three=3)")
    assert Second(1) == Second(1, 2) != First(1)  # pyright: ignore[reportCallIssue]
    assert hash(Third(1)) == hash((1, 2, 3))


def test_modules_imported_in_the_block_are_light_and_others_are_not(tmp_path, monkeypatch):
    text = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\n"
    (tmp_path / "points_for_this_test.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    real = dataclasses.dataclass
    with records.lighter():
        import points_for_this_test  # pyright: ignore[reportMissingImports]
    assert dataclasses.dataclass is real
    assert records._is_record(points_for_this_test.Point)
    assert points_for_this_test.Point(1) == points_for_this_test.Point(x=1)


def test_the_block_is_for_its_thread_alone():
    def make():
        @dataclasses.dataclass
        class Point:
            x: int

        return Point

    with records.lighter():
        assert records._is_record(make())
        with ThreadPoolExecutor(1) as other:
            assert not records._is_record(other.submit(make).result())


def test_the_block_is_undone_when_an_import_fails():
    real = dataclasses.dataclass
    with pytest.raises(ModuleNotFoundError), records.lighter():
        import no_such_module_for_this_test  # pyright: ignore[reportMissingImports] # noqa: F401
    assert dataclasses.dataclass is real


def test_comparison_of_one_field_is_true_or_false():
    class Many:
        def __eq__(self, other: object) -> Any:
            return [self, other]

        __hash__ = None  # pyright: ignore[reportAssignmentType]

    assert (Tile(Many(), name="a") == Tile(Many())) is True  # pyright: ignore[reportArgumentType]
    assert (Single(Many()) == Single(Many())) is True


@dataclass(frozen=True, slots=True)
class Single:
    """One field."""

    value: object
