"""Matrix instructions: mma.sync, wgmma, tcgen05 with tensor memory, MFMA and WMMA."""
