"""Expansion: a loop with a schedule becomes prologue, kernel and epilogue.

expander               rewrites the loop
pipelined_loop         the loop with its schedule, and the copies of its values
kernel_loop            iter_args, body and results of the kernel
predication            operations that run under a predicate
peel_epilogue          the last iteration as a conditional
"""
