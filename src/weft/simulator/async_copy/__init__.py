"""Asynchronous copies: cp.async, TMA, and AMD's copies to LDS and tensor data mover (TDM)."""
