"""What each operation of the IR does, one file per family, as `weft.interpreter.registry` lists."""
