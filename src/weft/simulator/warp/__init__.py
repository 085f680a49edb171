"""Thread indices, shuffles and reductions within a warp, scheduling hints."""
