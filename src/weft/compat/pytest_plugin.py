"""A pytest plugin: tests that import triton run with weft.

    pytest --as-triton tests            or WEFT_AS_TRITON=1 pytest tests

The plugin is registered as an entry point, so pytest finds it where weft is installed. It acts
before test modules and conftest files are imported.
"""

from __future__ import annotations

import os
from typing import Any

from weft.knobs import is_on

__all__ = ["pytest_addoption", "pytest_load_initial_conftests"]


def pytest_addoption(parser: Any) -> None:  # pytest.Parser: pytest is not a dependency of weft
    """Declare `--as-triton`."""
    parser.getgroup("weft").addoption(
        "--as-triton", action="store_true", help="let `import triton` find weft"
    )


def pytest_load_initial_conftests(early_config: Any) -> None:  # pytest.Config
    """Let `import triton` find weft, if the option or the environment variable asks for it."""
    is_requested = is_on(os.environ.get("WEFT_AS_TRITON", ""))
    if is_requested or early_config.known_args_namespace.as_triton:
        from weft.compat.as_triton import install  # other test runs do not need it

        install()
