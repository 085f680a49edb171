"""Where a kernel is defined, for errors about the whole of it."""

from __future__ import annotations

import linecache

from weft.errors import Location
from weft.language.kernel_function import KernelFunction


def definition(kernel: KernelFunction) -> Location:
    """Return the line of the kernel's `def`, below its decorators."""
    file, first = kernel.file, kernel.first_line
    line = first
    while (text := linecache.getline(file, line)) and not text.lstrip().startswith("def "):
        line += 1
    return Location(file, line if text else first, source=text.rstrip("\n"))
