"""Colors for IR text on a terminal."""

from __future__ import annotations

from rich.text import Text

# Later rows take precedence.
_STYLES = (
    (r"(?<![\w.#%!])-?\d+(\.\d+)?([eE][+-]?\d+)?\b", "cyan"),
    (r"\b(?:tensor|i\d+|f\d+|bf16|f8E\w+|index|vector)\b", "yellow"),
    (r"(?<=x)(?:i\d+|f\d+|bf16|f8E\w+)\b", "yellow"),
    (r"!\w+\.\w+", "yellow"),
    (r"#[\w.]+", "magenta"),
    (r"%[\w$.-]+(?::\d+|#\d+)?", "green"),
    (r"@[\w$.]+", "bold"),
    (r"\b(?:tt|ttg|ttng|amdg|arith|math|scf|cf|ub|gpu|rocdl|nvvm)\.[\w.]+", "bold blue"),
    (r"\b(?:module|attributes|loc|to|step|iter_args|else|do)\b", "blue"),
    (r'"[^"\n]*"', "red"),
    (r"//.*", "dim"),
)


def highlight(text: str) -> Text:
    """Color the names, types, attributes and operations of IR text."""
    styled = Text(text)
    for pattern, style in _STYLES:
        styled.highlight_regex(pattern, style)
    return styled
