"""`triton.backends`."""
