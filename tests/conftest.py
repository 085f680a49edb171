"""Options and fixtures of the whole suite."""

from __future__ import annotations

import time

import pytest
from hypothesis import settings

from weft import knobs

settings.register_profile("suite", deadline=None)  # do not fail on slow machines
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--oracle-seconds",
        type=float,
        default=None,
        help="skip the remaining differential tests after this many seconds",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STARTED] = time.monotonic()


STARTED = pytest.StashKey[float]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    limit = item.config.getoption("--oracle-seconds")
    if limit is None or item.get_closest_marker("oracle") is None:
        return
    if time.monotonic() - item.config.stash[STARTED] > limit:
        pytest.skip(f"time limit of {limit:.0f} s for differential tests reached")


@pytest.fixture(autouse=True)
def environment_is_read() -> None:
    """Read the environment again: the test before may have taken variables back."""
    knobs.CompileSettings.number = 0
