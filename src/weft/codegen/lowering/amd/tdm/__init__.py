"""The tensor data mover (TDM) of gfx1250: copies, gathers, scatters and prefetches of tiles."""
