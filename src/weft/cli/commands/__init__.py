"""The declarations of the subcommands: one module for each, with its arguments and options.

A command imports what it runs when it is called, as `weft --help` and the other commands do not
need it. `weft.cli.commands.explain` declares what `weft.cli.explain` implements, and so on.
"""
