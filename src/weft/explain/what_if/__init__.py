"""Compile a kernel with a change, and show the difference: what if a value had another layout?

    what_if(kernel, "cuda:90", ["%tile=#blocked"], signature=…).text()

difference.py      `what_if`: the costs before and after, conversions that appear and vanish
assumptions.py     read `n % 16 == 0`, `0 < n < 4096`, and apply them to a compile
pinned_layouts.py  give a value of final TTGIR another layout
"""

from __future__ import annotations

from weft.explain.what_if.difference import WhatIf, what_if

__all__ = ["WhatIf", "what_if"]
