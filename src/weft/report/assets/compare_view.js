// Two views side by side: totals first, then the entries that differ, matched by the variable, the
// operation and its position among operations of that kind, then the texts.

import {html, useMemo, useState, Choice, Table, number} from "dom";
import {NAMES, Pane, costsOf, textsOf} from "code_view";
import {totalsOf} from "summary_view";

/** The differences between the first two views of a page. */
export function CompareView({page}) {
  const [all, setAll] = useState(false);
  const [values, setValues] = useState(false);
  const [first, second] = page.views;
  const before = totalsOf(first);
  const after = new Map(totalsOf(second).map(([name, value]) => [name, value]));
  const rows = page.differences.filter(
    (row) => (all || row.first !== row.second) && (values || row.kind !== "value"),
  );
  const totals = before.map(([name, value]) => ({
    cells: [name, number(value), after.has(name) ? number(after.get(name)) : "", value === after.get(name) ? "same" : "differs"],
  }));
  return html`<div>
    <${Table} caption="Totals" headings=${["total", first.label, second.label, "verdict"]} rows=${totals} />
    <label><input type="checkbox" checked=${all} onChange=${() => setAll(!all)} /> also what is the same</label>
    <label><input type="checkbox" checked=${values} onChange=${() => setValues(!values)} /> the layouts of all values</label>
    <${Table}
      caption=${`${rows.length} of ${page.differences.length} entries`}
      headings=${["kind", "entry", first.label, second.label]}
      rows=${rows.map((row) => ({cells: [row.kind, row.name, row.first ?? "—", row.second ?? "—"]}))}
    />
    ${rows.length === 0 && html`<p>Nothing differs.</p>`}
    <${TextPair} page=${page} />
  </div>`;
}

// The texts that take part: machine code of two targets has different names.
const KINDS = [
  ["source", "Source", ["source"]],
  ["ttir", "TTIR", ["ttir"]],
  ["ttgir", "TTGIR", ["ttgir"]],
  ["llir", "LLVM IR", ["llir"]],
  ["code", "Machine code", ["sass", "amdgcn", "ptx"]],
];

/** One kind of text of both views. A line lights its counterparts on both sides. */
function TextPair({page}) {
  const [first, second] = page.views;
  const [kind, setKind] = useState("ttgir");
  const [lit, setLit] = useState(null);
  const places = useMemo(() => [new Map(page.place_pairs), new Map(page.place_pairs.map(([one, other]) => [other, one]))], [page]);
  const pairs = useMemo(() => {
    const [texts, others] = [textsOf(first), textsOf(second)];
    return new Map(
      KINDS.flatMap(([key, , names]) => {
        const pair = [texts, others].map((each) => each.findLast((text) => names.includes(text.name)));
        return pair.every(Boolean) ? [[key, pair]] : [];
      }),
    );
  }, [page]);
  const pair = pairs.get(kind);
  if (!pair) return null;
  const light = (side) => (place) => {
    if (place < 0) return setLit(null);
    const other = places[side].get(place) ?? -1;
    setLit(side === 0 ? [place, other] : [other, place]);
  };
  return html`<section>
    <h2>Texts side by side</h2>
    <${Choice} label="Text" options=${KINDS.filter(([key]) => pairs.has(key)).map(([key, name]) => [key, name])} value=${kind} onChange=${setKind} />
    <div class="panes">
      ${[first, second].map(
        (view, side) => html`<${Pane}
          key=${`${side}-${kind}`}
          id=${`compare-${side}-${kind}`}
          label=${`${NAMES[pair[side].name]} of ${view.label}`}
          text=${pair[side]}
          lit=${lit === null ? null : lit[side]}
          onLight=${light(side)}
          costs=${kind === "source" ? costsOf(view) : null}
          layouts=${new Map()}
        />`,
      )}
    </div>
  </section>`;
}
