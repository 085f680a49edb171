"""What is kept from one process to the next is what would be made again, or it is made again."""

from __future__ import annotations

import importlib.util
import marshal
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft.bytecode import Finder, Kept, state_of

PACKAGE = "kept_for_tests"
Load = Callable[..., tuple[ModuleType, bool]]


@pytest.fixture(autouse=True)
def writing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a directory with a package that has a module and a package in it."""
    inner = tmp_path / "code" / PACKAGE / "inner"
    inner.mkdir(parents=True)
    (inner.parent / "__init__.py").write_text("")
    (inner.parent / "plain.py").write_text("VALUE = 1\n")
    (inner / "__init__.py").write_text("from kept_for_tests.inner.deep import VALUE\n")
    (inner / "deep.py").write_text("VALUE = 2\n")
    return tmp_path / "code"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Return what imports a module as a new process would, and tells whether it was kept."""

    def forget() -> None:
        for name in [each for each in sys.modules if each.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def imported(
        code: Path, name: str = "plain", file: str = "all.kept"
    ) -> tuple[ModuleType, bool]:
        forget()
        kept = Kept(str(tmp_path / file))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "meta_path", [Finder(kept, (PACKAGE,)), *sys.meta_path])
            patch.syspath_prepend(str(code))
            module = importlib.import_module(f"{PACKAGE}.{name}")
        kept.write()
        return module, module.__name__ not in kept.added

    yield imported
    forget()


def test_a_second_process_finds_modules_in_the_file(tree: Path, load: Load) -> None:
    assert not load(tree)[1]
    module, kept = load(tree)
    assert kept
    assert module.VALUE == 1
    assert module.__file__ == str(tree / PACKAGE / "plain.py")
    assert module.__cached__ == importlib.util.cache_from_source(str(module.__file__))


def test_packages_in_packages_are_packages(tree: Path, load: Load) -> None:
    load(tree, "inner")
    module, kept = load(tree, "inner")
    assert kept
    assert module.VALUE == 2
    assert module.__path__ == [str(tree / PACKAGE / "inner")]
    assert module.__package__ == module.__name__


def test_what_was_loaded_before_stays_in_the_file(tree: Path, load: Load) -> None:
    load(tree, "plain")
    load(tree, "inner")
    assert load(tree, "plain")[1]
    assert load(tree, "inner")[1]


def test_two_processes_at_once_lose_nothing(tree: Path, load: Load, tmp_path: Path) -> None:
    early = Kept(str(tmp_path / "all.kept"))
    load(tree)
    early.put("value", 1, "two")
    early.write()
    assert load(tree)[1]
    assert Kept(str(tmp_path / "all.kept")).made("value", 1, lambda: "three") == "two"


def test_a_changed_source_is_compiled_again(tree: Path, load: Load) -> None:
    load(tree)
    source = tree / PACKAGE / "plain.py"
    before = source.stat()
    source.write_text("VALUE = 3\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 2_000_000_000))
    module, kept = load(tree)
    assert not kept
    assert module.VALUE == 3
    assert load(tree)[1]


def test_a_removed_module_is_not_found(tree: Path, load: Load) -> None:
    load(tree)
    (tree / PACKAGE / "plain.py").unlink()
    with pytest.raises(ModuleNotFoundError):
        load(tree)


def test_a_copy_is_not_taken_for_the_original(tree: Path, load: Load, tmp_path: Path) -> None:
    load(tree)
    copy = tmp_path / "copy" / PACKAGE
    copy.mkdir(parents=True)
    state = (tree / PACKAGE / "plain.py").stat()
    (copy / "__init__.py").write_text("")
    (copy / "plain.py").write_text("VALUE = 4\n")
    os.utime(copy / "plain.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    module, kept = load(copy.parent)
    assert not kept
    assert module.VALUE == 4


def test_other_packages_are_left_to_python(tmp_path: Path) -> None:
    finder = Finder(Kept(str(tmp_path / "all.kept")), (PACKAGE,))
    assert finder.find_spec("json.decoder", ["/anywhere"]) is None
    assert finder.find_spec(PACKAGE, None) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cut=st.floats(0, 1), written=st.binary(max_size=16), data=st.data())
def test_a_damaged_file_is_made_again(
    tree: Path, load: Load, tmp_path: Path, cut: float, written: bytes, data: st.DataObject
) -> None:
    file = tmp_path / "all.kept"
    file.unlink(missing_ok=True)
    load(tree)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(cut * len(whole))])
    assert load(tree)[0].VALUE == 1
    assert load(tree)[1]
    file.write_bytes(b"")
    assert load(tree)[0].VALUE == 1
    at = data.draw(st.integers(0, 23))  # the form, Python's magic number, the length of the index
    file.write_bytes(whole[:at] + written + whole[at + len(written) :])
    assert load(tree)[0].VALUE == 1


def test_damaged_code_is_compiled_again(tree: Path, load: Load, tmp_path: Path) -> None:
    load(tree)
    file = tmp_path / "all.kept"
    whole = file.read_bytes()
    size = len(marshal.dumps(compile("VALUE = 1\n", str(tree / PACKAGE / "plain.py"), "exec")))
    file.write_bytes(whole[:-size] + bytes(size))  # as a crash leaves what the disk did not get
    assert load(tree)[0].VALUE == 1


def test_a_file_of_another_form_is_made_again(tree: Path, load: Load, tmp_path: Path) -> None:
    load(tree)
    file = tmp_path / "all.kept"
    file.write_bytes(file.read_bytes().replace(b"weft kept 1", b"weft kept 0"))
    assert not load(tree)[1]
    assert load(tree)[1]


@pytest.mark.parametrize("file", ["no/such/directory/all.kept", "code"])
def test_what_cannot_be_written_is_let_be(
    tree: Path, load: Load, tmp_path: Path, file: str
) -> None:
    before = sorted(tmp_path.iterdir())
    assert load(tree, file=file)[0].VALUE == 1
    assert load(tree, file=file)[0].VALUE == 1
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_written_where_python_writes_no_byte_code(
    tree: Path, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    load(tree)
    assert not (tmp_path / "all.kept").exists()


def test_values_are_made_once_for_each_source(tmp_path: Path) -> None:
    asked: list[str] = []

    def made(source: str) -> list[str]:
        kept = Kept(str(tmp_path / "all.kept"))
        value = kept.made("name", source, lambda: [asked.append(source), source][1:])
        kept.write()
        return value

    assert made("a") == ["a"]
    assert made("a") == ["a"]
    assert made("b") == ["b"]
    assert asked == ["a", "b"]


def test_the_state_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert state_of(str(file)) is None
    file.write_text("three")
    assert state_of(str(file)) == (file.stat().st_mtime_ns, 5)


def test_a_second_compile_reads_no_source(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import builtins, sys

            asked = []
            plain = builtins.compile
            builtins.compile = lambda text, *rest, **named: asked.append(text) or plain(
                text, *rest, **named)
            import weft
            import weft.language as tl

            @weft.jit
            def scale(x, BLOCK: tl.constexpr):
                at = x + tl.arange(0, BLOCK)
                tl.store(at, 2 * tl.load(at))

            weft.compile(scale, signature="*fp32, 64", target="cuda:90").module("ttgir")
            loaders = {type(one.__spec__.loader).__name__ for name, one in sys.modules.items()
                       if name.startswith(("weft.", "xdsl."))}
            print("_Keeping" in loaders, "_Loader" in loaders, "tomllib" in sys.modules,
                  any("def __init__" in str(text) for text in asked))
            """
        )
    )
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    said = [
        subprocess.run(
            [sys.executable, str(script)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert said == ["True False True True\n", "False True False False\n"]
