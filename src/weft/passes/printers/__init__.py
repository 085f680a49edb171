"""Passes that print what an analysis knows, as remarks: triton-opt's test passes.

They leave the module as it is, save those of barriers, which insert what the analysis found.
"""
