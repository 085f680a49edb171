"""Read-only facts about IR."""
