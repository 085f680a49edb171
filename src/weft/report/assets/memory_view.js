// Layouts, conversions between them, and accesses to global and shared memory.

import {html, useMemo, useState, Table, groupColor, isDark, bytes} from "dom";
import {elementAt, sizeOf} from "linear_layout";
import {LayoutCanvas, LayoutPicture} from "layout_view";

const SECTOR = 32; // bytes

const at = (entry) => (entry.line ? `line ${entry.line}` : "no line");

/** Every layout of a view. */
export function LayoutsView({view}) {
  const [index, setIndex] = useState(0);
  const layout = view.layouts[index];
  if (!layout) return html`<p>The kernel has no tensors with layouts.</p>`;
  return html`<div class="columns">
    <${Table}
      caption="Layouts"
      headings=${["layout", "shape", "values"]}
      onRow=${(row) => setIndex(row.index)}
      rows=${view.layouts.map((each, number) => ({
        index: number,
        current: number === index,
        cells: [each.name, `${each.shape.join("×")} × ${each.element_bits} bits`, each.values.length],
      }))}
    />
    <${LayoutPicture} key=${index} layout=${layout} />
  </div>`;
}

/** The layouts before and after each conversion; the element at the cursor is marked in both. */
export function ConversionsView({view}) {
  const [index, setIndex] = useState(0);
  const [element, setElement] = useState(null);
  const conversions = view.report.conversions;
  const conversion = conversions[index];
  const find = (name, type) => {
    const shape = type.split("x").slice(0, -1).join("×");
    return view.layouts.find((each) => each.name === name && each.shape.join("×") === shape);
  };
  if (!conversion) return html`<p>No conversion remains in the kernel.</p>`;
  const before = find(conversion.before, conversion.type);
  const after = find(conversion.after, conversion.type);
  return html`<div>
    <${Table}
      caption="Remaining conversions"
      headings=${["line", "value", "type", "from", "to", "through", "bytes", "barriers", "conflicts", "loops around", "cost"]}
      onRow=${(row) => setIndex(row.index)}
      rows=${conversions.map((each, number) => ({
        index: number,
        current: number === index,
        cells: [at(each), each.value, each.type, each.before, each.after, each.plan, each.bytes, each.barriers, each.conflicts, each.loop_depth, each.cost],
      }))}
    />
    <p>
      ${Object.entries(conversion.instructions).map(([name, count]) => `${count} × ${name}`).join(", ") || "no instruction"}
      ${conversion.shared_bytes ? `; ${bytes(conversion.shared_bytes)} of shared memory` : ""}
    </p>
    <ul>${conversion.removal.map((text) => html`<li>${text}</li>`)}</ul>
    ${before && after
      ? html`<p class="note">Threads are rows, registers are columns. Both sides have the colours of the lanes before the conversion, so the right side shows where each value came from. The element at the cursor is outlined on both sides.</p>
          <div class="pair">
            ${[["before", before], ["after", after]].map(([side, layout]) => html`<div>
              <h2>${side}: ${layout.name}</h2>
              <${LayoutCanvas} layout=${layout} source=${before} view="hardware" scheme="lane" mark=${element} onPoint=${setElement} />
            </div>`)}
          </div>`
      : html`<p class="note">One of the layouts cannot be drawn.</p>`}
  </div>`;
}

/** The bytes that each lane of the first warp accesses with its first instruction. */
function laneRanges(access, layout) {
  const elements = Math.max(1, access.vector_bits / access.element_bits);
  const size = access.element_bits / 8;
  return Array.from({length: sizeOf(layout, "lane")}, (_, lane) => {
    const element = elementAt(layout, {lane});
    const offset = element.reduce((sum, coordinate, axis) => sum + coordinate * access.strides[axis], 0);
    return {lane, first: offset * size, bytes: elements * size};
  });
}

/** Sectors as rows of bytes, coloured by lane. */
function SectorChart({access, layout}) {
  const ranges = useMemo(() => laneRanges(access, layout), [access, layout]);
  const dark = isDark();
  const sectors = new Map();
  for (const range of ranges) {
    for (let byte = range.first; byte < range.first + range.bytes; byte++) {
      const sector = Math.floor(byte / SECTOR);
      if (!sectors.has(sector)) sectors.set(sector, new Map());
      sectors.get(sector).set(byte % SECTOR, range.lane);
    }
  }
  const shown = [...sectors].sort(([a], [b]) => a - b).slice(0, 64);
  const used = [...sectors.values()].reduce((sum, cells) => sum + cells.size, 0);
  const [width, height] = [9, 14];
  return html`<figure class="picture">
    <figcaption>First instruction of the first warp: ${sectors.size} sectors of ${SECTOR} bytes, ${Math.round((100 * used) / (sectors.size * SECTOR))} % of their bytes used. Each row is a sector, each colour a lane. Rows with unknown strides are drawn far apart.</figcaption>
    <div class="scroll" tabindex="0" role="region" aria-label="Sectors of the access">
      <svg width=${90 + SECTOR * width} height=${shown.length * height + 4} role="img" aria-label=${`${sectors.size} sectors`}>
        ${shown.map(([sector, cells], row) => html`
          <text x="0" y=${row * height + 11} class="axis">sector ${row}</text>
          <rect x="80" y=${row * height} width=${SECTOR * width} height=${height - 2} class="empty" />
          ${[...cells].map(([byte, lane]) => html`<rect x=${80 + byte * width} y=${row * height} width=${width} height=${height - 2} fill=${groupColor(lane, ranges.length, dark)}><title>byte ${byte} of the sector: lane ${lane}</title></rect>`)}`)}
      </svg>
    </div>
  </figure>`;
}

/** Banks as columns, phases as rows: the words that lanes need, and which of them collide. */
function BankChart({map}) {
  const dark = isDark();
  const words = map.phases.map((phase) => {
    const banks = Array.from({length: map.banks}, () => new Map());
    for (const lane of phase) {
      const first = Math.floor(map.addresses[lane] / map.bank_bytes);
      const last = Math.floor((map.addresses[lane] + Math.max(1, map.bits / 8) - 1) / map.bank_bytes);
      for (let word = first; word <= last; word++) {
        const lanes = banks[word % map.banks];
        if (!lanes.has(word)) lanes.set(word, []);
        lanes.get(word).push(lane);
      }
    }
    return banks;
  });
  const [width, height] = [22, 16];
  const depth = words.map((banks) => Math.max(1, ...banks.map((lanes) => lanes.size)));
  let top = 18;
  return html`<figure class="picture">
    <figcaption>First instruction of the first warp: columns are ${map.banks} banks, a block of rows is a phase; a bank with several rows needs that many wavefronts (conflict).</figcaption>
    <div class="scroll" tabindex="0" role="region" aria-label="Banks of the access">
      <svg width=${70 + map.banks * width} height=${depth.reduce((sum, rows) => sum + rows * height + 8, 24)} role="img" aria-label=${`${depth.reduce((a, b) => a + b, 0)} wavefronts in ${map.phases.length} phases`}>
        ${Array.from({length: map.banks}, (_, bank) => html`<text x=${70 + (bank + 0.5) * width} y="11" text-anchor="middle" class="axis">${bank}</text>`)}
        ${words.map((banks, phase) => {
          const start = top;
          top += depth[phase] * height + 8;
          return html`<text x="0" y=${start + 12} class="axis">phase ${phase}</text>
            ${banks.map((lanes, bank) => [...lanes].map(([word, holders], row) => html`<g>
              <rect x=${70 + bank * width} y=${start + row * height} width=${width - 1} height=${height - 1} fill=${groupColor(holders[0], map.addresses.length, dark)} class=${lanes.size > 1 ? "conflict" : ""}>
                <title>bank ${bank}, word ${word}: lane${holders.length > 1 ? "s" : ""} ${holders.join(", ")}${lanes.size > 1 ? `; ${lanes.size} words of this bank in one phase` : ""}</title>
              </rect>
              <text x=${70 + (bank + 0.5) * width} y=${start + row * height + 12} text-anchor="middle" class="label">${holders[0]}</text>
            </g>`))}`;
        })}
      </svg>
    </div>
  </figure>`;
}

/** Accesses to global and shared memory. */
export function MemoryView({view}) {
  const [global, setGlobal] = useState(0);
  const [shared, setShared] = useState(0);
  const {memory, shared: buffers, scratch} = view.report;
  // Scratch memory has no layout of its own, and so no picture of its banks.
  const accesses = [...buffers, ...scratch];
  const picture = view.global_accesses[global];
  const map = view.bank_maps[shared];
  return html`<div>
    <${Table}
      caption="Global memory"
      headings=${["line", "access", "value", "type", "layout", "bits per lane", "limited by", "requests", "sectors", "ideal", "loops around"]}
      onRow=${(row) => setGlobal(row.index)}
      rows=${memory.map((each, index) => ({
        index,
        current: index === global,
        cells: [at(each), each.op, each.value, each.type, each.layout, each.vector_bits, each.limited_by, each.requests, each.sectors, each.ideal_sectors, each.loop_depth],
      }))}
    />
    ${picture && html`<${SectorChart} access=${picture} layout=${view.layouts[picture.layout]} />`}
    <${Table}
      caption="Shared memory"
      headings=${["line", "access", "kind", "type", "layout", "buffer", "bits per lane", "instructions", "wavefronts", "conflicts", "loops around"]}
      onRow=${(row) => setShared(row.index)}
      rows=${accesses.map((each, index) => ({
        index,
        current: index === shared,
        cells: [at(each), each.op, each.kind, each.type, each.layout, each.memory, each.bits, each.accesses, each.wavefronts, each.conflicts, each.loop_depth],
      }))}
    />
    ${map && html`<${BankChart} map=${map} />`}
    ${memory.length + accesses.length === 0 && html`<p>The kernel has no access through tensors of pointers, and none to shared memory.</p>`}
  </div>`;
}
