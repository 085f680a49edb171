// A layout drawn on a canvas: the tensor view has elements as cells, the hardware view threads as
// rows and registers as columns. Pointer and arrow keys move a cursor; a line of text says what is
// there.

import {html, useEffect, useMemo, useRef, useState, Choice, groupColor, isDark} from "dom";
import {
  DIMENSIONS,
  elementAt,
  holdersOf,
  indexOf,
  isMemory,
  placeText,
  sizeOf,
} from "linear_layout";

const LARGEST = 256; // rows or columns that are drawn
const BANKS = 32;

/** The rows and columns of a view, and what each cell shows. */
function gridOf(layout, view, page) {
  if (isMemory(layout) && view === "hardware") {
    const perRow = Math.max(1, (BANKS * 32) / layout.element_bits);
    const count = sizeOf(layout, "offset");
    return {
      rows: Math.ceil(count / perRow),
      columns: Math.min(perRow, count),
      cell: (row, column) => {
        const offset = row * perRow + column;
        return offset < count ? {element: elementAt(layout, {offset}), places: [{offset}]} : null;
      },
    };
  }
  if (view === "hardware") {
    const lanes = sizeOf(layout, "lane");
    return {
      rows: lanes * sizeOf(layout, "warp"),
      columns: sizeOf(layout, "register"),
      cell: (row, column) => {
        const place = {warp: Math.floor(row / lanes), lane: row % lanes, register: column, block: 0};
        return {element: elementAt(layout, place), places: [place]};
      },
    };
  }
  const shape = layout.shape.length > 1 ? layout.shape : [1, ...layout.shape];
  const [rows, columns] = shape.slice(-2);
  // One dimension is folded into rows of at most 32 elements.
  const width = layout.shape.length > 1 ? columns : Math.min(columns, 32);
  const holders = holdersOf(layout);
  return {
    rows: layout.shape.length > 1 ? rows : Math.ceil(columns / width),
    columns: width,
    cell: (row, column) => {
      const index = page * rows * columns + row * width + column;
      const element = [];
      let rest = index;
      for (let axis = layout.shape.length - 1; axis >= 0; axis--) {
        element.unshift(rest % layout.shape[axis]);
        rest = Math.floor(rest / layout.shape[axis]);
      }
      return {element, places: holders[index] ?? []};
    },
  };
}

function groupOf(layout, place, scheme) {
  if (!place) return 0;
  if (isMemory(layout)) {
    const word = Math.floor((place.offset * layout.element_bits) / 32);
    return scheme === "bank" ? word % BANKS : Math.floor(word / BANKS);
  }
  return place[scheme];
}

function groupCount(layout, scheme) {
  if (!isMemory(layout)) return sizeOf(layout, scheme);
  return scheme === "bank" ? BANKS : 2;
}

function describe(layout, cell) {
  if (!cell) return "";
  const element = `element (${cell.element.join(", ")})`;
  if (isMemory(layout)) {
    const {offset} = cell.places[0] ?? {offset: 0};
    const byte = (offset * layout.element_bits) / 8;
    return `${element}: offset ${offset}, byte ${byte}, bank ${Math.floor(byte / 4) % BANKS}`;
  }
  const shown = cell.places.slice(0, 4).map((place) => {
    const block = sizeOf(layout, "block") > 1 ? `block ${place.block}, ` : "";
    return `${block}warp ${place.warp}, lane ${place.lane}, register ${place.register}`;
  });
  const more = cell.places.length > 4 ? ` and ${cell.places.length - 4} more` : "";
  return `${element}: ${shown.join("; ")}${more}`;
}

/**
 * A picture of a layout.
 *
 * `source` is the layout that gives cells their colours, if it is another one: that before a
 * conversion. `mark` is the element to outline, and `onPoint` gets the element at the cursor.
 */
export function LayoutCanvas({layout, source = null, view, scheme, page = 0, mark = null, onPoint}) {
  const canvas = useRef(null);
  const [cursor, setCursor] = useState(null);
  const grid = useMemo(() => gridOf(layout, view, page), [layout, view, page]);
  const origins = useMemo(() => source && holdersOf(source), [source]);
  const rows = Math.min(grid.rows, LARGEST);
  const columns = Math.min(grid.columns, LARGEST);
  const size = Math.max(4, Math.min(34, Math.floor(900 / columns), Math.floor(1400 / rows)));

  useEffect(() => {
    const ratio = devicePixelRatio || 1;
    const context = canvas.current.getContext("2d");
    canvas.current.width = columns * size * ratio;
    canvas.current.height = rows * size * ratio;
    context.scale(ratio, ratio);
    const dark = isDark();
    const count = groupCount(source ?? layout, scheme);
    const colorPlace = (cell) =>
      origins ? origins[indexOf(layout.shape, cell.element)]?.[0] : cell.places[0];
    context.font = `${Math.max(8, size / 3.2)}px ui-monospace, monospace`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const cell = grid.cell(row, column);
        if (!cell) continue;
        context.fillStyle = groupColor(groupOf(source ?? layout, colorPlace(cell), scheme), count, dark);
        const gap = size > 8 ? 1 : 0;
        context.fillRect(column * size, row * size, size - gap, size - gap);
        if (size >= 24) {
          context.fillStyle = dark ? "#f3f4f6" : "#16181d";
          const text =
            view === "hardware"
              ? cell.element.join(",")
              : cell.places.length
                ? placeText(layout, cell.places[0])
                : "";
          context.fillText(text, (column + 0.5) * size, (row + 0.5) * size, size - 2);
        }
        if (mark !== null && indexOf(layout.shape, cell.element) === mark) {
          context.strokeStyle = dark ? "#ffffff" : "#000000";
          context.lineWidth = 2;
          context.strokeRect(column * size + 1, row * size + 1, size - 2, size - 2);
        }
      }
    }
    if (cursor) {
      context.strokeStyle = dark ? "#ffffff" : "#000000";
      context.lineWidth = 2;
      context.strokeRect(cursor.column * size + 1, cursor.row * size + 1, size - 2, size - 2);
    }
  }, [grid, origins, scheme, size, cursor, mark]);

  const point = (row, column) => {
    const clamped = {
      row: Math.max(0, Math.min(rows - 1, row)),
      column: Math.max(0, Math.min(columns - 1, column)),
    };
    setCursor(clamped);
    const cell = grid.cell(clamped.row, clamped.column);
    if (onPoint && cell) onPoint(indexOf(layout.shape, cell.element));
  };
  const onMove = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const scale = (columns * size) / box.width;
    point(
      Math.floor(((event.clientY - box.top) * scale) / size),
      Math.floor(((event.clientX - box.left) * scale) / size),
    );
  };
  const onKey = (event) => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const from = cursor ?? {row: 0, column: 0};
    point(from.row + step[0], from.column + step[1]);
  };
  const cell = cursor && grid.cell(cursor.row, cursor.column);
  const cut = grid.rows > rows || grid.columns > columns;
  return html`<figure class="picture">
    <div class="scroll">
      <canvas
        ref=${canvas}
        tabindex="0"
        role="img"
        style=${`width:${columns * size}px`}
        aria-label=${`${view} view of ${layout.name} for ${layout.shape.join("×")}; arrow keys move the cursor`}
        onPointerMove=${onMove}
        onKeyDown=${onKey}
      ></canvas>
    </div>
    <figcaption>
      <output aria-live="polite">${describe(layout, cell) || "Point at a cell, or move with the arrow keys."}</output>
      ${cut && html`<span class="note">The first ${rows} × ${columns} of ${grid.rows} × ${grid.columns} cells.</span>`}
    </figcaption>
  </figure>`;
}

/** A layout with the choice of its view and colours. */
export function LayoutPicture({layout}) {
  const memory = isMemory(layout);
  const [view, setView] = useState("tensor");
  const [scheme, setScheme] = useState(memory ? "bank" : "lane");
  const schemes = memory ? ["bank", "row"] : DIMENSIONS.filter((name) => sizeOf(layout, name) > 1);
  const chosen = schemes.includes(scheme) ? scheme : (schemes[0] ?? "lane");
  return html`<div class="layout">
    <h2>${layout.name} <span class="type">${layout.shape.join("×")}, ${layout.element_bits} bits</span></h2>
    <code class="encoding">${layout.encoding}</code>
    <div class="controls">
      <${Choice}
        label=${`View of ${layout.name}`}
        options=${[["tensor", "tensor"], ["hardware", memory ? "memory" : "hardware"]]}
        value=${view}
        onChange=${setView}
      />
      ${schemes.length > 1 &&
      html`<${Choice}
        label=${`Colours of ${layout.name}`}
        options=${schemes.map((name) => [name, name])}
        value=${chosen}
        onChange=${setScheme}
      />`}
    </div>
    <${LayoutCanvas} layout=${layout} view=${view} scheme=${chosen} />
    <p class="note">Values: ${layout.values.slice(0, 12).join(", ")}${layout.values.length > 12 ? " …" : ""}</p>
    <details>
      <summary>Bases</summary>
      <dl class="bases">
        ${Object.entries(layout.bases).map(
          ([name, bases]) => html`<dt>${name}</dt>
            <dd>${bases.length ? bases.map((basis) => `(${basis.join(", ")})`).join(" ") : "none"}</dd>`,
        )}
      </dl>
    </details>
  </div>`;
}
