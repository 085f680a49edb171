"""The public surface of Triton 3.7.1, and how much of it `import triton` finds under weft."""
