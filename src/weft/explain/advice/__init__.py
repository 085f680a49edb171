"""Try edits of a kernel: apply each to the compile, and keep those that lower the counted cost.

model.py        an edit, and an edit that was tried
workbench.py    compiles of one kernel that share the front end's work, and their counted costs
edits.py        edits of options, arguments, block sizes
ttir_edits.py   edits of the IR: operand orders, hints, precision of dots
block_sizes.py  which constexpr parameters are sizes of blocks
proposals.py    the edits that a finding proposes
trials.py       try the edits of all findings, within a bounded number of compiles
"""
