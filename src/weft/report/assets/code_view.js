// The texts of a compile side by side. The current line of the kernel is lit in all of them.

import {html, useEffect, useMemo, useRef, useState, baseName, number} from "dom";
import {LayoutPicture} from "layout_view";

export const NAMES = {source: "Source", ttir: "TTIR", ttgir: "TTGIR", llir: "LLVM IR", ptx: "PTX", sass: "SASS", amdgcn: "AMDGCN"};
const ALIAS = /(#[a-z_]+\d*)\b/;
const HIDDEN = new Set(["#loc"]);

/** Line by line the cost of a kernel's line: instructions, and the report's entries. */
export function costsOf(view) {
  const code = view.texts.findLast((text) => ["sass", "amdgcn", "ptx"].includes(text.name));
  const instructions = new Map();
  let total = 0;
  for (const place of code?.places ?? []) {
    if (place < 0) continue;
    total++;
    instructions.set(place, (instructions.get(place) ?? 0) + 1);
  }
  return {unit: code?.name ?? "", instructions, total};
}

/** The texts of a view, its source first. */
export function textsOf(view) {
  const source = sourceText(view);
  return source.lines.length ? [source, ...view.texts] : view.texts;
}

function sourceText(view) {
  const lines = [];
  const places = [];
  const labels = [];
  const index = new Map(view.places.map((place, number) => [`${place.file}:${place.line}`, number]));
  for (const source of view.sources) {
    source.lines.forEach((line, offset) => {
      const lineNumber = source.first + offset;
      lines.push(line);
      labels.push(String(lineNumber));
      places.push(index.get(`${source.file}:${lineNumber}`) ?? -1);
    });
  }
  return {name: "source", lines, places, labels};
}

function Line({line, layouts, onLayout}) {
  if (!layouts.size || !line.includes("#")) return line || " ";
  return line.split(ALIAS).map((part) =>
    layouts.has(part) && !HIDDEN.has(part)
      ? html`<span class="alias" onClick=${(event) => {
          event.stopPropagation();
          onLayout(part);
        }}>${part}</span>`
      : part,
  );
}

/** One text; `lit` is the current place, `costs` fills the margin of the source. */
export function Pane({text, lit, onLight, costs, findings, layouts, onLayout, label, id = text.name}) {
  const list = useRef(null);
  const [cursor, setCursor] = useState(0);
  useEffect(() => {
    // Bring the first lit line into view, unless one is in view already.
    if (lit === null || !list.current) return;
    const box = list.current.getBoundingClientRect();
    const lines = [...list.current.querySelectorAll(".lit")];
    const visible = lines.some((line) => {
      const place = line.getBoundingClientRect();
      return place.top >= box.top && place.bottom <= box.bottom;
    });
    if (lines.length && !visible) list.current.scrollTop = lines[0].offsetTop - list.current.clientHeight / 3;
  }, [lit, text]);
  const onKey = (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20}[event.key];
    if (step) {
      const next = Math.max(0, Math.min(text.lines.length - 1, cursor + step));
      setCursor(next);
      list.current.children[next].scrollIntoView({block: "nearest"});
    } else if (event.key === "Enter" || event.key === " ") {
      onLight(text.places[cursor]);
    } else if (event.key === "l") {
      const name = text.lines[cursor].split(ALIAS).find((part) => layouts.has(part));
      if (name) onLayout(name);
    } else return;
    event.preventDefault();
  };
  const largest = costs ? Math.max(1, ...costs.instructions.values()) : 1;
  return html`<section class="pane" aria-label=${label ?? NAMES[text.name]}>
    <h2>${label ?? NAMES[text.name]} <span class="type">${number(text.lines.length)} lines</span></h2>
    <ol
      class="code"
      role="listbox"
      tabindex="0"
      aria-label=${`Lines of ${label ?? NAMES[text.name]}; Enter lights a line's counterparts${layouts.size ? ", l shows its layout" : ""}`}
      aria-activedescendant=${`${id}-${cursor}`}
      ref=${list}
      onKeyDown=${onKey}
    >
      ${text.lines.map((line, index) => {
        const place = text.places[index];
        const count = costs && place >= 0 ? (costs.instructions.get(place) ?? 0) : 0;
        const finding = findings?.has(place);
        return html`<li
          id=${`${id}-${index}`}
          role="option"
          aria-selected=${place >= 0 && place === lit}
          class=${`${place >= 0 && place === lit ? "lit" : ""} ${index === cursor ? "cursor" : ""} ${place < 0 ? "unplaced" : ""}`}
          onClick=${() => {
            setCursor(index);
            onLight(place);
          }}
        >
          <span class="margin">${text.labels?.[index] ?? index + 1}</span>
          ${costs &&
          html`<span class="cost" title=${count ? `${count} instructions of ${costs.unit}` : ""}>
            <span style=${`width:${(100 * count) / largest}%`}></span>${count || ""}
          </span>`}
          <span class="text"><${Line} line=${line} layouts=${layouts} onLayout=${onLayout} />${finding ? html` <span class="flag" title="see Findings">▲</span>` : ""}</span>
        </li>`;
      })}
    </ol>
  </section>`;
}

/** All texts of a view. */
export function CodeView({view, lit, onLight}) {
  const texts = useMemo(() => textsOf(view), [view]);
  const code = texts.findLast((text) => text.name !== "source")?.name;
  const [shown, setShown] = useState(() => new Set([texts[0].name, "ttgir", code]));
  const [layout, setLayout] = useState(null);
  const dialog = useRef(null);
  const costs = useMemo(() => costsOf(view), [view]);
  const layouts = useMemo(() => new Map(view.layouts.map((each) => [each.name, each])), [view]);
  const findings = useMemo(() => {
    const lines = new Set(view.report.findings.map((each) => `${each.file}:${each.line}`));
    return new Set(view.places.flatMap((place, index) => (lines.has(`${place.file}:${place.line}`) ? [index] : [])));
  }, [view]);
  useEffect(() => {
    if (layout && !dialog.current.open) dialog.current.showModal();
  }, [layout]);
  const toggle = (name) => {
    const next = new Set(shown);
    if (!next.delete(name)) next.add(name);
    setShown(next);
  };
  const place = lit === null || lit < 0 ? null : view.places[lit];
  return html`<div>
    <div class="controls">
      <fieldset class="choice">
        <legend>Texts</legend>
        ${texts.map(
          (text) => html`<label class=${shown.has(text.name) ? "chosen" : ""}>
            <input type="checkbox" checked=${shown.has(text.name)} onChange=${() => toggle(text.name)} />
            ${NAMES[text.name]}
          </label>`,
        )}
      </fieldset>
      <output aria-live="polite">
        ${place
          ? `${baseName(place.file)}, line ${place.line}: ${costs.instructions.get(lit) ?? 0} of ${number(costs.total)} instructions of ${NAMES[costs.unit] ?? "machine code"}`
          : "Click a line, or press Enter on it, to light what it became and where it came from."}
      </output>
    </div>
    <div class="panes">
      ${texts
        .filter((text) => shown.has(text.name))
        .map(
          (text) => html`<${Pane}
            key=${text.name}
            text=${text}
            lit=${lit}
            onLight=${onLight}
            costs=${text.name === "source" ? costs : null}
            findings=${text.name === "source" ? findings : null}
            layouts=${["ttgir"].includes(text.name) ? layouts : new Map()}
            onLayout=${(name) => setLayout(layouts.get(name))}
          />`,
        )}
    </div>
    <dialog ref=${dialog} aria-label="Layout" onClose=${() => setLayout(null)}>
      ${layout && html`<${LayoutPicture} layout=${layout} />`}
      <form method="dialog"><button>Close</button></form>
    </dialog>
  </div>`;
}
