// How far the layouts are from the cheapest ones, and which values have other layouts there.

import {html, useState, baseName, number, Facts, Table} from "dom";
import {LayoutPicture} from "layout_view";

const KEPT = {
  heuristic: "the layouts of the heuristics",
  refined: "those of layouts=\"refined\"",
  optimal: "those of the optimum",
};
const percent = (fraction) => `${(100 * fraction).toFixed(1)} %`;

/** The costs as [name, value] pairs. */
function costsOf(optimum) {
  const {triton, weft, refined, cost, bound, is_proved, gap, largest_gap} = optimum;
  return [
    ...(triton === null ? [] : [["Triton's heuristics, weft's default", triton]]),
    ...(triton === weft ? [] : [["this kernel", weft]]),
    ...(refined === null ? [] : [["layouts=\"refined\"", refined]]),
    ...(is_proved
      ? [["optimum, proved", cost], ["gap of this kernel", percent(gap)]]
      : [
          ["best found, not proved", cost],
          ["no layouts cost less than", bound],
          ["gap of this kernel", `${percent(gap)} to ${percent(largest_gap)}`],
        ]),
  ];
}

/** What `layouts="optimal"` compiles with, and the numbers that decide. */
function Kept({kept}) {
  if (!kept) return null;
  return html`<${Facts}
    caption=${`layouts="optimal" keeps ${KEPT[kept.choice]}`}
    entries=${[["why", kept.reason], ...Object.entries(kept.facts)]}
  />`;
}

/** The layouts of one operation, those of the kernel first. */
function Pictures({view, difference}) {
  const sideOf = (name) => {
    const sides = [];
    if (difference.before.includes(name)) sides.push("now");
    if (difference.after.includes(name)) sides.push("optimum");
    return sides.join(" and ");
  };
  const names = [...new Set([...difference.before, ...difference.after])];
  const shape = String(difference.shape);
  const find = (name) =>
    view.optimum_layouts.find(
      (each) => each.name === name && String(each.shape) === shape && each.element_bits === difference.element_bits,
    );
  return html`<div class="pair">
    ${names.map((name) => {
      const layout = find(name);
      return html`<div key=${`${name} ${shape}`}>
        <h2>${sideOf(name)}</h2>
        ${layout ? html`<${LayoutPicture} layout=${layout} />` : html`<p class="note">${name} cannot be drawn.</p>`}
      </div>`;
    })}
  </div>`;
}

/** The costs, what is kept, and the operations that differ. */
export function OptimumView({view, onLight}) {
  const [all, setAll] = useState(false);
  const [index, setIndex] = useState(0);
  const {optimum} = view.report;
  if (!optimum) return html`<p>The optimum of this compile was not sought.</p>`;
  const entries = optimum.differences.filter((each) => all || each.cost_before !== each.cost_after);
  const free = optimum.differences.length - entries.length;
  const current = entries[index];
  const place = current ? view.places.findIndex(({file, line}) => file === current.file && line === current.line) : -1;
  const text = (names) => names.join(", ") || "not computed";
  return html`<div>
    <div class="columns">
      <${Facts} caption="Costs" entries=${costsOf(optimum)} />
      <${Kept} kept=${optimum.kept} />
    </div>
    <p class="note">
      Costs are ${optimum.unit}, as counted: on-chip work, loops by their trip counts, else 16 times. A gap is one of this
      work, not of time.
    </p>
    ${optimum.differences.length > 0 &&
    html`<label><input type="checkbox" checked=${all} onChange=${() => {
      setAll(!all);
      setIndex(0);
    }} /> also operations with other layouts at the same cost${free ? ` (${number(free)})` : ""}</label>`}
    <${Table}
      caption="What differs, the largest saving first"
      headings=${["value", "line", "operation", "type", "layout now", "layout of the optimum", "cost now", "cost then"]}
      onRow=${(row) => setIndex(row.index)}
      rows=${entries.map((each, position) => ({
        index: position,
        current: position === index,
        cells: [each.value || each.op, each.line ? `line ${each.line}` : "", each.op, each.type, text(each.before), text(each.after), each.cost_before, each.cost_after],
      }))}
    />
    ${current &&
    html`<section aria-label="Layouts of the operation">
      ${place >= 0 &&
      html`<p><button class="link" onClick=${() => onLight(place)}>${baseName(current.file)}:${current.line}</button></p>`}
      <${Pictures} view=${view} difference=${current} />
    </section>`}
    ${entries.length === 0 && html`<p>No layouts cost less.</p>`}
  </div>`;
}
