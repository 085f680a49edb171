"""Schedules of loops: how many iterations later an operation runs, and its place within one.

loop_schedule          stage and cluster of each operation, as attributes
cluster_list           clusters in order, with insertion anywhere
latencies              how many stages later the users of an operation run, as attributes
completion             stages of the operations that a schedule does not have yet
stage_builder          creates operations with a stage and a cluster
"""
