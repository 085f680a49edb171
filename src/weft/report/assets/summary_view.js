// What costs most, what to try, and the numbers of the kernel.

import {html, baseName, bytes, number, Facts, Table} from "dom";
import {CardView} from "card_view";
import {costsOf} from "code_view";

const sum = (entries, key) => entries.reduce((total, each) => total + each[key], 0);

/** The numbers of a view as [name, value] pairs. */
export function totalsOf(view) {
  const {report} = view;
  const code = costsOf(view);
  return [
    ["warps", report.num_warps],
    ["conversions", report.conversions.length],
    ["converted bytes", sum(report.conversions, "bytes")],
    ["requests to global memory", sum(report.memory, "requests")],
    ["sectors of global memory", sum(report.memory, "sectors")],
    ["wavefronts of shared memory", sum(report.shared, "wavefronts") + sum(report.scratch, "wavefronts")],
    ["bank conflicts", sum(report.shared, "conflicts") + sum(report.scratch, "conflicts")],
    ["dots", report.dots.length],
    ["shared memory, bytes", view.shared_memory?.size ?? 0],
    ["machine instructions", code.total],
  ];
}

/** A count as text: "bytes converted" in units that people read. */
const amount = (name, value) => (name.startsWith("bytes ") ? bytes(value) : number(value));

/** The edits that were tried for a finding and lower the cost, each with the counts that change. */
function Edits({finding}) {
  const {edits, trials} = finding;
  if (!edits.length && finding.helped) return html`<p class="edit">An edit above helps here, too.</p>`;
  if (!edits.length) return trials ? html`<p class="edit">${number(trials)} edits were tried, none helps.</p>` : null;
  return html`<ul class="edits" aria-label="Edits that help">
    ${edits.map(({text, kind, before, after, changes}) => {
      const rows = [...changes, ...(before ? [{name: "counted cost", before, after}] : [])];
      return html`<li>
        <p><span class="type">${kind}</span> <strong>${text}</strong></p>
        <dl class="changes">
          ${rows.map(
            (row) => html`<div class=${row.after <= row.before ? "better" : "worse"}>
              <dt>${row.name.replace(/^bytes /, "")}</dt>
              <dd>${amount(row.name, row.before)} → ${amount(row.name, row.after)}</dd>
            </div>`,
          )}
        </dl>
      </li>`;
    })}
  </ul>`;
}

function Findings({view, onLight}) {
  const {findings} = view.report;
  if (!findings.length) return html`<p>No avoidable cost was found.</p>`;
  const index = new Map(view.places.map((place, position) => [`${place.file}:${place.line}`, position]));
  return html`<ol class="findings">
    ${findings.map((finding) => {
      const place = index.get(`${finding.file}:${finding.line}`);
      return html`<li>
        <p>
          <strong>${number(finding.cost)} cycles</strong> ${" "}
          ${finding.line &&
          html`<button class="link" onClick=${() => onLight(place ?? -1)}>${baseName(finding.file)}:${finding.line}</button>`}
          ${" "}${finding.message}
        </p>
        <${Edits} finding=${finding} />
      </li>`;
    })}
  </ol>`;
}

/** Findings, totals, dots and the card of a view. */
export function SummaryView({view, onLight}) {
  const {report} = view;
  return html`<div>
    <section>
      <h2>Findings <span class="type">most expensive first, cycles of one warp</span></h2>
      <${Findings} view=${view} onLight=${onLight} />
    </section>
    <div class="columns">
      <${Facts} caption="Totals of one program" entries=${totalsOf(view)} />
      <${Facts}
        caption="Compile"
        entries=${[
          ["kernel", report.kernel],
          ["target", report.target],
          ["threads of a warp", report.lanes],
          ["reasons", report.ledger],
          ...Object.entries(view.options),
          ...(view.shared_memory ? [["shared memory", `${bytes(view.shared_memory.size)} of ${bytes(view.shared_memory.limit)}`]] : []),
        ]}
      />
    </div>
    ${report.card && html`<${CardView} card=${report.card} />`}
    <${Table}
      caption="Dots"
      headings=${["line", "value", "type", "instruction", "per warp", "warps", "why"]}
      rows=${report.dots.map((dot) => ({
        cells: [dot.line ? `line ${dot.line}` : "", dot.value, dot.type, dot.instruction, dot.per_warp, dot.warps.join("×"), dot.why],
      }))}
    />
    ${view.notes.length > 0 && html`<ul class="note">${view.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
  </div>`;
}
