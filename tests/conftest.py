"""Options and fixtures of the whole suite."""

from __future__ import annotations

import time

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None)  # a slow machine is no wrong answer
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--oracle-seconds",
        type=float,
        default=None,
        help="start no further differential test after this many seconds; skipped ones are counted",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STARTED] = time.monotonic()


STARTED = pytest.StashKey[float]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    limit = item.config.getoption("--oracle-seconds")
    if limit is None or item.get_closest_marker("oracle") is None:
        return
    if time.monotonic() - item.config.stash[STARTED] > limit:
        pytest.skip(f"the {limit:.0f} seconds for differential tests are over")
