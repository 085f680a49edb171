"""Write every generated page of docs/reference."""

from docs.generator import FOLDER, PAGES

for name, render in PAGES.items():
    (FOLDER / name).write_text(render())
