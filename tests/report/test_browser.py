"""The page in Chromium: by pointer, by keyboard, in both themes, and for assistive technology."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.explain.advice.kernels import add_transposed
from tests.report.kernels import MASKED_SIGNATURE, SIGNATURE, masked_add, matmul, reduced
from weft.report import report

sync_api = pytest.importorskip("playwright.sync_api", reason="the extra browser is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium (Debian's package)")
TABS = ("summary", "code", "passes", "loops", "layouts", "conversions", "memory", "compare")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(matmul, targets=["cuda:90", "hip:gfx942"], signature=SIGNATURE).save(path)
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """The page, which must write no error and ask for nothing from a network."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: problems.append(request.url) if request.url.startswith("http") else None,
    )
    page.goto(address)
    yield page
    page.close()
    assert problems == []


def test_every_part_has_content(page):
    page.wait_for_selector("[role=tab]")
    names = [tab.get_attribute("id") for tab in page.query_selector_all("[role=tab]")]
    assert names == [f"tab-{name}" for name in TABS]
    for name in TABS:
        page.click(f"#tab-{name}")
        assert page.get_attribute(f"#tab-{name}", "aria-selected") == "true"
        assert len(page.inner_text("#panel")) > 200, name


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (480, "dark")])
def test_accessibility(browser, address, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(address)
    for name in TABS:
        page.click(f"#tab-{name}")
        violations = axe.Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:100]) for each in violations] == [], name
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name} is {overflow} pixels too wide"
    page.close()


def test_arrow_keys_select_tabs(page):
    page.focus("#tab-summary")
    for name in TABS[1:]:
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.id") == f"tab-{name}"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-summary"
    assert page.evaluate("location.hash") == "#summary"


def test_a_line_lights_its_counterparts(page):
    page.click("#tab-code")
    page.check("text=PTX")
    line = page.locator("section[aria-label=Source] li", has_text="tl.dot(")
    line.click()
    for text, instruction in (("TTGIR", "warp_group_dot"), ("PTX", "wgmma.mma_async")):
        lit = page.locator(f"section[aria-label='{text}'] li.lit")
        assert any(instruction in each for each in lit.all_inner_texts())
    assert "instructions of" in page.inner_text("#panel output")


def test_findings_show_the_edits_that_were_tried(browser, tmp_path):
    """Each edit with the counts before and after; in both themes, at two widths."""
    path = tmp_path / "edits.html"
    signature = "*fp32:16, *fp32:16, *fp32:16, 64"
    report(add_transposed, targets="cuda:90", signature=signature).save(path)
    for width, scheme in ((1400, "light"), (480, "dark")):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto(path.as_uri())
        edits = page.locator(".findings .edits")
        assert edits.count() == 1
        text = edits.inner_text()
        assert "operand order" in text
        assert "tl.trans(tl.load(y + p)) + tl.load(x + p)" in text
        changes = edits.locator(".changes div").all_inner_texts()
        assert [each.split() for each in changes][:2] == [
            ["conversions", "2", "→", "1"],
            ["converted", "32", "KiB", "→", "16", "KiB"],
        ]
        assert "An edit above helps here, too." in page.locator(".findings").inner_text()
        violations = axe.Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:100]) for each in violations] == []
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0
        page.close()


def test_the_optimum(browser, tmp_path):
    """Its costs, what is kept, and the layouts of a value before and after, by keyboard."""
    pytest.importorskip("highspy")
    path = tmp_path / "optimum.html"
    own = report(masked_add, targets="cuda:90", signature=MASKED_SIGNATURE, optimum=True)
    own.save(path)
    optimum = own.reports[0].optimum
    assert optimum is not None
    for width, scheme in ((1400, "light"), (480, "dark")):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        problems: list[str] = []
        page.on("pageerror", lambda error, seen=problems: seen.append(str(error)))
        page.goto(path.as_uri())
        page.click("#tab-optimum")
        costs = page.locator(".facts").first.inner_text().replace(",", "").split("\n")
        pairs = dict(zip(costs[::2], costs[1::2], strict=True))
        assert pairs["Triton's heuristics weft's default"] == str(optimum.triton)
        assert pairs["optimum proved"] == str(optimum.cost)
        assert pairs["gap of this kernel"] == f"{optimum.gap:.1%}".replace("%", " %")
        panel = page.locator("#panel")
        assert 'layouts="optimal" keeps those of the optimum' in panel.inner_text()
        load = page.locator("tbody tr", has_text="tt.load")
        assert re.search(r"line \d+\s+tt.load\s+1024xf32\s+#blocked\s+#optimal", load.inner_text())
        load.locator("button").focus()
        page.keyboard.press("Enter")
        assert panel.locator(".pair code.encoding").all_inner_texts() == [
            dict(optimum.named)[name] for name in ("#blocked", "#optimal")
        ]
        canvas = panel.locator(".pair canvas").last
        canvas.focus()
        page.keyboard.press("ArrowRight")
        # One element per thread: element 1 is that of lane 1.
        assert (
            "element (1): warp 0, lane 1, register 0" in panel.locator("output").last.inner_text()
        )
        rows = page.locator("tbody tr").count()
        page.check("text=also operations with other layouts at the same cost")
        assert page.locator("tbody tr").count() == len(optimum.differences) > rows
        assert axe.Axe().run(page).response["violations"] == []
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0
        panel.locator("section .link").first.click()
        assert page.evaluate("location.hash") == "#code"
        assert problems == []
        page.close()


def test_the_same_by_keyboard(page):
    page.click("#tab-code")
    lines = page.locator("section[aria-label=Source] li")
    number = next(n for n, text in enumerate(lines.all_inner_texts()) if "tl.dot(" in text)
    page.focus("section[aria-label=Source] ol")
    for _ in range(number):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert lines.nth(number).get_attribute("aria-selected") == "true"
    assert page.locator("section[aria-label=TTGIR] li.lit").count() > 0


def test_a_layout_opens_where_it_is_named(page):
    page.click("#tab-code")
    page.locator("section[aria-label=TTGIR] .alias", has_text="#mma").first.click()
    dialog = page.locator("dialog[open]")
    assert "#ttg.nvidia_mma" in dialog.inner_text()
    dialog.locator("canvas").focus()
    page.keyboard.press("ArrowDown")
    # Element (1, 0) of a wgmma accumulator is in lane 4.
    assert "element (1, 0): warp 0, lane 4, register 0" in dialog.locator("output").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_passes_by_keyboard_and_slider(page):
    page.click("#tab-passes")
    assert page.inner_text(".change h2").startswith("source")
    page.focus(".steps")
    names = page.locator(".steps li").all_inner_texts()
    step = next(n for n, name in enumerate(names) if name.startswith("convert-triton-to-tritongpu"))
    for _ in range(step):
        page.keyboard.press("j")
    assert page.inner_text(".change h2").startswith("convert-triton-to-tritongpu")
    assert page.locator(".diff .added").count() > 5
    assert "Decisions" in page.inner_text(".change")
    page.focus("input[type=range]")
    page.keyboard.press("Home")
    assert page.inner_text(".change h2").startswith("source")


def test_the_difference_of_texts(page):
    """The lines of the difference give back both texts, for passes that insert and remove."""
    agrees = page.evaluate(
        """async () => {
          const {difference} = await import("pass_view");
          const cases = [
            [["a", "b", "c"], ["a", "x", "c", "d"]], [[], ["a"]], [["a"], []],
            [["a", "b", "a", "b"], ["b", "a", "b", "a"]], [["x"], ["x"]],
          ];
          return cases.every(([before, after]) => {
            const lines = difference(before, after);
            const side = (sign) =>
              lines.filter(([s]) => s === " " || s === sign).map(([, line]) => line);
            return String(side("-")) === String(before) && String(side("+")) === String(after);
          });
        }"""
    )
    assert agrees


def test_the_script_evaluates_layouts_as_weft_does(page, address):
    """The element of each place, as `elementAt` computes it from the bases."""
    view = report(matmul, targets="cuda:90", signature=SIGNATURE).page.views[0]
    for layout in view.layouts:
        table = page.evaluate(
            """async ([bases, shape]) => {
              const {elementAt, placesOf} = await import("linear_layout");
              const layout = {bases, shape};
              return [...placesOf(layout)].map((place) => elementAt(layout, place));
            }""",
            [layout.bases, layout.shape],
        )
        assert table == [list(element) for element in elements_of(layout)]


def elements_of(layout):
    """List the element of each place, the register fastest, by weft's own linear layouts."""
    from weft.layouts import LinearLayout

    names = tuple(f"dim{axis}" for axis in range(len(layout.shape)))
    sizes = dict(zip(names, layout.shape, strict=True))
    bases = {name: [list(basis) for basis in each] for name, each in layout.bases.items()}
    linear = LinearLayout.from_bases(bases, sizes)
    dims = [name for name in ("block", "warp", "lane", "register", "offset") if name in bases]
    counts = [1 << len(bases[name]) for name in dims]
    total = 1
    for count in counts:
        total *= count
    for index in range(total):
        place, rest = {}, index
        for name, count in zip(reversed(dims), reversed(counts), strict=True):
            place[name], rest = rest % count, rest // count
        element = linear.apply(place)
        yield [element[name] for name in names]


def test_scratch_memory_is_counted(page, tmp_path):
    """The wavefronts of a reduction are in the table of accesses and in the totals."""
    path = tmp_path / "softmax.html"
    own = report(reduced, targets="cuda:90", signature="*fp32:16, *fp32:16, 1024")
    own.save(path)
    scratch = own.reports[0].scratch
    assert scratch
    page.goto(path.as_uri())
    page.click("#tab-memory")
    rows = page.locator("tr", has_text="tt.reduce").all_inner_texts()
    assert len(rows) == len(scratch)
    assert all("scratch" in row for row in rows)
    page.click("#tab-summary")
    total = sum(each.wavefronts for each in scratch)
    assert re.search(rf"wavefronts of shared memory\s+{total}\n", page.inner_text("#panel"))
    assert "cycles of a block alone" in page.inner_text("#panel")


def test_the_summary_has_the_card(page):
    page.click("#tab-summary")
    summary = page.inner_text("#panel")
    for text in (
        "registers of a thread",
        "blocks per SM",
        "limited by",
        "operations of f16",
        "balanced at",
    ):
        assert text in summary
    page.locator("header label", has_text="hip:gfx942").click()
    assert "warps per SIMD" in page.inner_text("#panel")


def test_the_texts_of_two_compiles_are_lit_together(page):
    page.click("#tab-compare")
    for kind, names in (
        ("Source", ("Source", "Source")),
        ("Machine code", ("PTX|SASS", "AMDGCN")),
        ("TTGIR", ("TTGIR", "TTGIR")),
    ):
        page.click(f".choice label:has-text('{kind}')")
        headings = page.locator(".panes h2").all_inner_texts()
        for heading, name, target in zip(headings, names, ("cuda:90", "hip:gfx942"), strict=True):
            assert re.match(f"({name}) of {target}", heading)
    first, second = page.locator(".panes .code").all()
    first.locator("li", has_text="ttng.warp_group_dot").first.click()
    assert any("ttng.warp_group_dot" in line for line in first.locator(".lit").all_inner_texts())
    assert any("tt.dot" in line for line in second.locator(".lit").all_inner_texts())
    second.locator("li", has_text="tt.store").first.click()
    assert any("tt.store" in line for line in first.locator(".lit").all_inner_texts())


def test_two_compiles_are_compared(page):
    page.click("#tab-compare")
    assert "hip:gfx942" in page.inner_text("#panel table")
    before = page.locator("#panel table >> nth=1 >> tbody tr").count()
    page.check("text=the layouts of all values")
    assert page.locator("#panel table >> nth=1 >> tbody tr").count() > before
    page.locator("header label", has_text="hip:gfx942").click()
    page.click("#tab-summary")
    assert "hip:gfx942" in page.inner_text("#panel")
