"""Names of Triton that weft cannot have: using one is an error that says what to use instead.

    # weft/compat/compiler/code_generator.py
    __getattr__ = unsupported_names("triton.compiler.code_generator", "weft.compile returns the IR")

Most are parts of Triton's own compiler: its AST visitor, its MLIR builder, its C++ drivers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from weft.errors import UnsupportedError

__all__ = ["UnsupportedNameError", "unsupported_names"]


class UnsupportedNameError(UnsupportedError, AttributeError):
    """A name of Triton that weft does not have.

    It is an AttributeError, so that `hasattr` is False: packages ask for names of old releases this
    way. `from triton.… import name` turns it into an ImportError.
    """


def unsupported_names(
    module: str, hint: str, names: Mapping[str, str] | None = None
) -> Callable[[str], object]:
    """Create the `__getattr__` of a module: every name that it lacks is an error.

    Args:
        module: Triton's name of the module.
        hint: What to use instead of the module's names.
        names: What to use instead of some of them.

    Returns:
        A function that raises UnsupportedNameError; a plain AttributeError for names with
        underscores, which Python itself asks for.
    """

    def refuse(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise UnsupportedNameError(
            f"weft has no {module}.{name}",
            found=f"{module}.{name}",
            hint=(names or {}).get(name, hint),
        )

    return refuse
