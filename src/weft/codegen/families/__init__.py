"""How each family of operations is lowered; `weft.codegen.registry` finds them by name."""
