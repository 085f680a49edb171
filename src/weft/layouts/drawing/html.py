"""A picture as one HTML page with a choice of colours; pointing at a cell shows its group."""

from __future__ import annotations

from html import escape

from weft.layouts.drawing.picture import Picture
from weft.layouts.drawing.svg import drawing, scheme_of

__all__ = ["html"]

_STYLE = """
:root{color-scheme:light dark;font-family:system-ui,sans-serif}
body{margin:0;padding:16px;background:#fff;color:#16181d}
header{position:sticky;top:0;left:0;display:flex;gap:16px;align-items:center;flex-wrap:wrap;
padding:8px 0;background:inherit;z-index:1}
fieldset{border:0;padding:0;margin:0;display:flex;gap:12px}label{cursor:pointer}
output{font-family:ui-monospace,monospace;white-space:pre;min-height:2.6em;font-size:13px}
svg{max-width:none}.cell{cursor:default}.dim rect{opacity:.18}.dim text{opacity:.3}
.cell:focus rect,.cell.at rect{stroke:currentColor;stroke-width:2}
@media(prefers-color-scheme:dark){body{background:#14161a;color:#f3f4f6}}
"""

# The rules of the picture colour the cells; the script selects the scheme and fades other groups.
_SCRIPT = """
const svg = document.querySelector('svg'), note = document.querySelector('output');
const cells = [...svg.querySelectorAll('.cell')];
const texts = new Map(cells.map(cell => {
  const title = cell.querySelector('title');
  title.remove();
  return [cell, title.textContent];
}));
const group = cell => [...cell.classList].find(c => c.startsWith(svg.dataset.color + '-'));
const point = cell => {
  note.textContent = cell ? texts.get(cell) : '';
  const shared = cell && group(cell);
  for (const each of cells) {
    each.classList.toggle('dim', Boolean(shared) && !each.classList.contains(shared));
    each.classList.toggle('at', each === cell);
  }
};
for (const cell of cells) cell.addEventListener('pointerenter', () => point(cell));
svg.addEventListener('pointerleave', () => point(null));
for (const input of document.querySelectorAll('input')) {
  input.addEventListener('change', () => { svg.dataset.color = input.value; point(null); });
}
"""


def html(picture: Picture, color: str | None = None) -> str:
    """Return the picture as an HTML page that needs no other file.

    Args:
        picture: the picture.
        color: the scheme that is selected first; the picture's first if None.

    Raises:
        LayoutError: the picture has no such scheme.
    """
    selected = scheme_of(picture, color)
    names = [name for name, _ in picture.schemes]
    inputs = "".join(
        f'<label><input type="radio" name="color" value="{name}"'
        f"{' checked' if name == selected else ''}> {name}</label>"
        for name in names
    )
    title = escape(picture.title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<header><fieldset>Colour by {inputs}</fieldset><output></output></header>\n"
        f"{drawing(picture, selected, names)}<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )
