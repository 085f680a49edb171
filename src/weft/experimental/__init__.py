"""What may still change: the counterparts of `triton.experimental`."""
