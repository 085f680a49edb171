"""IR as text: read what Triton prints, print what Triton reads."""

from weft.ir.text.parser import parse_module
from weft.ir.text.printer import print_module, print_operation, print_type

__all__ = ["parse_module", "print_module", "print_operation", "print_type"]
