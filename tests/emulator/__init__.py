"""AMD machine code in an emulator that is not weft's: tinygrad's, from AMD's ISA documents."""
