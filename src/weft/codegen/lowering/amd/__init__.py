"""Lowering of operations that only AMD's chips have."""
