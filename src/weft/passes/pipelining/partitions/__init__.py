"""Partitions: the groups of warps of a warp-specialized loop.

attributes             which partitions run an operation
arefs                  buffers that partitions write and read in turn
"""
