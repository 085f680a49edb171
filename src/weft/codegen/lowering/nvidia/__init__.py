"""Lowering of operations that only NVIDIA's chips have."""
