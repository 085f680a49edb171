// The schedule of each pipelined loop as a chart of iterations over time, and the buffers of shared
// memory over the operations of the kernel.

import {html, useState, baseName, bytes, groupColor, isDark, Table} from "dom";

const SHOWN_ITERATIONS = 5;

/** Iterations as rows, steps of the pipelined loop as columns, the operations of a stage as a block. */
function ScheduleChart({loop}) {
  const {stages} = loop;
  const iterations = Math.max(SHOWN_ITERATIONS, stages + 2);
  const columns = iterations + stages - 1;
  const [width, height, left] = [92, 30, 92];
  const dark = isDark();
  const names = Array.from({length: stages}, (_, stage) =>
    loop.operations
      .filter((op) => op.stage === stage)
      .map((op) => op.value || op.op)
      .slice(0, 3)
      .join(", "),
  );
  const part = (column) =>
    column < stages - 1 ? "prologue" : column < iterations ? "loop" : "epilogue";
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Schedule of the loop">
    <svg width=${left + columns * width + 8} height=${(iterations + 1) * height + 8} role="img"
      aria-label=${`${stages} stages: iteration i runs stage s in step i + s`}>
      ${Array.from({length: columns}, (_, column) =>
        html`<text x=${left + (column + 0.5) * width} y=${height - 10} text-anchor="middle" class="axis">step ${column}, ${part(column)}</text>`)}
      ${Array.from({length: iterations}, (_, iteration) => html`
        <text x="0" y=${(iteration + 1) * height + 20} class="axis">iteration ${iteration}</text>
        ${names.map((name, stage) => html`<g>
          <rect x=${left + (iteration + stage) * width} y=${(iteration + 1) * height} width=${width - 3} height=${height - 4} rx="3" fill=${groupColor(stage, stages, dark)}>
            <title>iteration ${iteration}, stage ${stage}: ${name || "no named operation"}</title>
          </rect>
          <text x=${left + (iteration + stage) * width + 5} y=${(iteration + 1) * height + 18} class="label">${name.length > 13 ? name.slice(0, 12) + "…" : name || "·"}</text>
        </g>`)}`)}
    </svg>
  </div>`;
}

function operationRows(loop) {
  return loop.operations.map((op) => ({
    cells: [
      op.line ? `line ${op.line}` : "",
      op.op,
      op.value,
      ...Array.from({length: loop.stages}, (_, stage) => (op.stage === stage ? `cluster ${op.cluster}` : "")),
    ],
  }));
}

function Loop({loop}) {
  const stages = Array.from({length: loop.stages}, (_, stage) => `stage ${stage}`);
  return html`<section>
    <h2>Loop at ${loop.file ? `${baseName(loop.file)}:${loop.line}` : "an unknown line"}: ${loop.stages > 1 ? `${loop.stages} stages` : "not pipelined"}</h2>
    <p>${loop.why}</p>
    ${loop.operations.length > 0 && html`<${ScheduleChart} loop=${loop} />`}
    <${Table}
      caption="Loads"
      headings=${["line", "load", "value", "type", "method", "distance", "buffers", "shared memory", "why"]}
      rows=${loop.loads.map((load) => ({
        cells: [load.line ? `line ${load.line}` : "", load.op, load.value, load.type, load.method || "not pipelined", load.distance, load.buffers, load.shared_bytes ? bytes(load.shared_bytes) : "", load.why],
      }))}
    />
    ${loop.operations.length > 0 &&
    html`<details>
      <summary>Stage and cluster of ${loop.operations.length} operations</summary>
      <${Table} caption="Schedule" headings=${["line", "operation", "value", ...stages]} rows=${operationRows(loop)} />
    </details>`}
  </section>`;
}

/** Offsets over operations: a rectangle per buffer, a line per barrier. */
function BufferChart({memory, view, onLight}) {
  const [current, setCurrent] = useState(null);
  const dark = isDark();
  const [width, height, left] = [Math.max(640, Math.min(1500, memory.operations * 6)), 300, 70];
  const x = (operation) => left + (operation / Math.max(1, memory.operations)) * (width - left);
  const y = (offset) => height - (offset / Math.max(1, memory.size)) * height;
  const text = (buffer) => {
    const place = buffer.place >= 0 ? view.places[buffer.place] : null;
    const line = place ? `, ${baseName(place.file)}:${place.line}` : "";
    return `${buffer.name}: ${bytes(buffer.size)} at offset ${buffer.start}, operations ${buffer.first} to ${buffer.last}${line}`;
  };
  return html`<section>
    <h2>Shared memory over time <span class="type">${bytes(memory.size)} of ${bytes(memory.limit)}</span></h2>
    <div class="scroll">
      <svg width=${width + 10} height=${height + 40} role="group" aria-label="Buffers of shared memory over the operations of the kernel">
        ${memory.loops.map(([first, last]) => html`<rect x=${x(first)} y="0" width=${x(last) - x(first)} height=${height} class="loop"><title>loop: operations ${first} to ${last}</title></rect>`)}
        ${memory.buffers.map((buffer, index) => html`<rect
          x=${x(buffer.first)}
          y=${y(buffer.start + buffer.size)}
          width=${Math.max(4, x(buffer.last + 1) - x(buffer.first))}
          height=${Math.max(2, y(buffer.start) - y(buffer.start + buffer.size) - 1)}
          fill=${groupColor(index, memory.buffers.length, dark)}
          class=${current === index ? "buffer current" : "buffer"}
          tabindex="0"
          role="button"
          aria-label=${text(buffer)}
          onPointerEnter=${() => setCurrent(index)}
          onFocus=${() => setCurrent(index)}
          onClick=${() => onLight(buffer.place)}
          onKeyDown=${(event) => event.key === "Enter" && onLight(buffer.place)}
        ><title>${text(buffer)}</title></rect>`)}
        ${memory.barriers.map((operation) => html`<line x1=${x(operation)} x2=${x(operation)} y1="0" y2=${height} class="barrier"><title>barrier at operation ${operation}</title></line>`)}
        ${[0, 0.5, 1].map((part) => html`<text x=${left - 6} y=${Math.max(10, y(part * memory.size))} text-anchor="end" class="axis">${bytes(part * memory.size)}</text>`)}
        <text x=${left} y=${height + 18} class="axis">operations of the kernel in order; shaded: loops; dashed: ${memory.barriers.length} barriers</text>
      </svg>
    </div>
    <output aria-live="polite">${current === null ? "Point at a buffer, or reach it with Tab." : text(memory.buffers[current])}</output>
  </section>`;
}

/** The loops of a view. */
export function LoopView({view, onLight}) {
  const loops = view.report.loops;
  return html`<div>
    ${loops.length === 0 && html`<p>${view.steps.length ? "The kernel has no loops." : "weft did not run the passes of this view, so the schedules of its loops are unknown."}</p>`}
    ${loops.map((loop) => html`<${Loop} loop=${loop} />`)}
    ${view.shared_memory && view.shared_memory.size > 0 && html`<${BufferChart} memory=${view.shared_memory} view=${view} onLight=${onLight} />`}
  </div>`;
}
