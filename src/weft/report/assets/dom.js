// What every part of the page imports: Preact with its templates, and small shared pieces.

export {html, render, useState, useMemo, useEffect, useRef, useCallback} from "htm-preact";
import {html, useRef} from "htm-preact";

/** A number with separators of thousands. */
export const number = (value) => value.toLocaleString("en-US");

/** Bytes in the unit that people read. */
export function bytes(count) {
  if (count >= 1 << 20) return `${+(count / (1 << 20)).toFixed(1)} MiB`;
  if (count >= 1 << 10) return `${+(count / (1 << 10)).toFixed(1)} KiB`;
  return `${count} B`;
}

/** The name of a file without its folders. */
export const baseName = (path) => path.split("/").at(-1);

/** A colour for one of several groups; the page's style has a lightness for each theme. */
export function groupColor(group, count, dark) {
  const hue = Math.round((group * 360) / Math.max(count, 1));
  const chroma = count > 1 ? 0.1 : 0.02;
  // Neighbours differ in lightness, too, so that colours are not the only difference.
  const step = (group % 2) * 0.05;
  return dark ? `oklch(${0.42 + step} ${chroma} ${hue})` : `oklch(${0.84 + step} ${chroma} ${hue})`;
}

/** Whether the page is shown in dark colours. */
export const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

/** Names and values under a heading. */
export function Facts({caption, entries}) {
  return html`<section>
    <h2>${caption}</h2>
    <dl class="facts">${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${typeof value === "number" ? number(value) : value}</dd>`)}</dl>
  </section>`;
}

/** A table with a caption; a row is {cells, place, current}. */
export function Table({caption, headings, rows, onRow}) {
  if (!rows.length) return null;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table>
      <caption>${caption}</caption>
      <thead>
        <tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr class=${row.current ? "current" : ""}>
            ${row.cells.map((cell, index) =>
              index === 0 && onRow
                ? html`<td>
                    <button class="link" aria-pressed=${Boolean(row.current)} onClick=${() => onRow(row)}>
                      ${cell}
                    </button>
                  </td>`
                : html`<td class=${typeof cell === "number" ? "number" : ""}>
                    ${typeof cell === "number" ? number(cell) : cell}
                  </td>`,
            )}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A group of buttons of which one is chosen. */
export function Choice({label, options, value, onChange}) {
  return html`<fieldset class="choice">
    <legend>${label}</legend>
    ${options.map(
      ([key, text]) => html`<label class=${key === value ? "chosen" : ""}>
        <input type="radio" name=${label} checked=${key === value} onChange=${() => onChange(key)} />
        ${text}
      </label>`,
    )}
  </fieldset>`;
}

/** Tabs, of which arrow keys select the next one. */
export function Tabs({label, tabs, value, onChange}) {
  const list = useRef(null);
  const move = (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const keys = tabs.map(([key]) => key);
    const next = (keys.indexOf(value) + step + keys.length) % keys.length;
    onChange(keys[next]);
    list.current.querySelectorAll("[role=tab]")[next].focus();
    event.preventDefault();
  };
  return html`<div role="tablist" aria-label=${label} ref=${list} onKeyDown=${move}>
    ${tabs.map(
      ([key, text]) => html`<button
        role="tab"
        id=${`tab-${key}`}
        aria-controls="panel"
        aria-selected=${key === value}
        tabindex=${key === value ? 0 : -1}
        onClick=${() => onChange(key)}
      >
        ${text}
      </button>`,
    )}
  </div>`;
}
