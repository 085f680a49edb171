"""The source location of a kernel's definition."""

from __future__ import annotations

import linecache

from weft.errors import Location
from weft.language.kernel_function import KernelFunction

__all__ = ["definition_location"]


def definition_location(kernel: KernelFunction) -> Location:
    """Find the line of the kernel's `def`, below its decorators."""
    file, first = kernel.file, kernel.first_line
    line = first
    while (text := linecache.getline(file, line)) and not text.lstrip().startswith("def "):
        line += 1
    return Location(file, line if text else first, source=text.rstrip("\n"))
