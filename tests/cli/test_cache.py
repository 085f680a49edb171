"""`weft cache`: what is kept on disk."""

from __future__ import annotations

import os
import time

import pytest

from weft.compiler.cache import DiskCache

KEYS = [f"{n:02x}" + "5" * 62 for n in range(3)]


@pytest.fixture
def store(tmp_path, monkeypatch) -> DiskCache:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    store = DiskCache(tmp_path)
    store.put(
        KEYS[0],
        {"name": "add", "target": "cuda:90", "signature": "*fp32:16, 1024"},
        {"ptx": bytes(4000)},
    )
    store.put(KEYS[1], {"name": "add", "target": "cuda:90, 132 multiprocessors", "trials": []}, {})
    store.put(KEYS[2], {}, {"ptx": os.urandom(5000)})
    for age, key in zip((0, 7200, 3 * 86400), KEYS, strict=True):
        file = tmp_path / key[:2] / f"{key}.weft"
        os.utime(file, (0, time.time() - age))
    return store


def test_path(store, weft_command):
    assert weft_command("cache", "path").stdout == f"{store.path}\n"


def test_entries_are_listed_with_what_they_are(store, weft_command):
    damaged = store.path / "02" / f"{KEYS[2]}.weft"
    os.truncate(damaged, 60)
    os.utime(damaged, (0, time.time() - 3 * 86400))
    lines = weft_command("cache", "list").stdout.splitlines()
    heading, program, results, cut = (" ".join(line.split()) for line in lines)
    assert heading == "kernel target: signature size used key"
    assert program.startswith("add cuda:90: *fp32:16, 1024 ")
    assert program.endswith(f"just now {KEYS[0][:12]}")
    assert results.startswith("add (autotune) cuda:90, 132 multiprocessors ")
    assert results.endswith(f"2 hours ago {KEYS[1][:12]}")
    assert cut == f"? ? 60 bytes 3 days ago {KEYS[2][:12]}"


def test_size(store, weft_command):
    said = weft_command("cache", "size").stdout
    assert said.startswith("3 entries, 5.")
    assert said.endswith(f" KiB in {store.path}\n")


def test_clear_deletes_what_was_not_used_for_long_or_all(store, weft_command):
    assert weft_command("cache", "clear", "--older-than", "2").stdout.startswith(
        "deleted 1 entry, 5"
    )
    assert [each.key for each in store.files()] == KEYS[:2]
    assert weft_command("cache", "clear").stdout.startswith("deleted 2 entries, ")
    assert weft_command("cache", "clear").stdout == "deleted 0 entries, 0 bytes\n"
    assert weft_command("cache", "list").stdout == "the cache is empty\n"
    assert weft_command("cache", "size").stdout == f"0 entries, 0 bytes in {store.path}\n"


def test_mistakes(store, weft_command):
    assert weft_command("cache", "cleer").exit_code == 2
    assert weft_command("cache", "clear", "--older-than", "-1").exit_code == 2
    assert "list" in weft_command("cache", "--help").stdout
