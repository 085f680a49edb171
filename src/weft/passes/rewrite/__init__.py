"""Machinery that passes share.

Rewriting until nothing changes: `greedy` (the driver), `rewriter` (how patterns change the IR),
`worklist`, `constant_pool`, `simplify_regions`, `merge_blocks`. Queries on structure: `nesting`,
`traits`. Building blocks of several passes: `change_layout`, `decompose_scaled`, `mbarrier`,
`tensor_map`, `tile_addressing`.
"""
