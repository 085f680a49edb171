"""`weft targets`: the chips that weft compiles for."""
