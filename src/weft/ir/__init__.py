"""The IR: xDSL operations of Triton's dialects, as Triton 3.7.1 spells them.

One module per dialect (`arith`, `math`, `scf`, `cf`, `ub`, `tt`, `ttg`) holds the classes;
`types`, `attributes`, `enums` and `locations` make what they are built from; `text` reads
and prints; `rewriting` is the one module through which passes change the IR; `verifier`
checks a whole module.
"""
