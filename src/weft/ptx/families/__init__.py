"""Instructions, a file per kind; each fills the table of `registry`."""
