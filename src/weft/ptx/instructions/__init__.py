"""The semantics of PTX instructions; each module registers those of one kind."""
