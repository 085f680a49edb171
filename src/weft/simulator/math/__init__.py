"""Arithmetic intrinsics, conversions of small floats, and the vendors' math libraries."""
