"""What Triton's scripts look for under `triton.tools`."""
