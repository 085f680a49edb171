"""The IR: xDSL operations of Triton's dialects, as Triton 3.7.1 spells them.

One module per dialect (`arith`, `math`, `scf`, `cf`, `ub`, `tt`, `ttg`) holds the classes;
`types`, `attributes`, `enums` and `locations` make what they are built from; `text` reads
and prints; `rewriting` is the one module through which passes change the IR; `verifier`
checks a whole module.
"""

from __future__ import annotations

from weft.records import lighter

with lighter():  # what reads and prints text is left to weft.ir.text
    from weft.ir.definitions import read_later

    with read_later():
        import xdsl.dialects.builtin
        import xdsl.rewriter  # noqa: F401
