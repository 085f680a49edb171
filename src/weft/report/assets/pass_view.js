// The passes as steps of a slider: what each changed, and the decisions that it wrote.

import {html, useMemo, useRef, useState, Choice, baseName} from "dom";

const CONTEXT = 3; // unchanged lines around a change
const LIMIT = 4000; // lines of a text that are compared line by line

/** The difference of two lists of lines as [sign, line] pairs, by longest common subsequences. */
export function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const first = before.slice(start, before.length - end);
  const second = after.slice(start, after.length - end);
  const same = (lines) => lines.map((line) => [" ", line]);
  return [
    ...same(before.slice(0, start)),
    ...middle(first, second),
    ...same(before.slice(before.length - end)),
  ];
}

function middle(first, second) {
  const removed = first.map((line) => ["-", line]);
  const added = second.map((line) => ["+", line]);
  if (!first.length || !second.length || first.length * second.length > LIMIT * LIMIT)
    return [...removed, ...added];
  // lengths[i][j] is the length of the longest common subsequence of first[i…] and second[j…].
  const width = second.length + 1;
  const lengths = new Uint16Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--)
    for (let j = second.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        first[i] === second[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  const result = [];
  let i = 0;
  let j = 0;
  while (i < first.length || j < second.length) {
    if (i < first.length && j < second.length && first[i] === second[j]) {
      result.push([" ", first[i]]);
      i++;
      j++;
    } else if (j >= second.length || (i < first.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]))
      result.push(removed[i++]);
    else result.push(added[j++]);
  }
  return result;
}

/** Leave out unchanged lines far from any change. */
function withContext(lines) {
  const near = new Uint8Array(lines.length);
  lines.forEach(([sign], index) => {
    if (sign === " ") return;
    for (let k = Math.max(0, index - CONTEXT); k <= Math.min(lines.length - 1, index + CONTEXT); k++) near[k] = 1;
  });
  const result = [];
  lines.forEach((line, index) => {
    if (near[index]) result.push(line);
    else if (result.at(-1)?.[0] !== "…") result.push(["…", ""]);
  });
  return result;
}

function Decision({note, view}) {
  const place = note.place >= 0 ? view.places[note.place] : null;
  return html`<li>
    <p>
      <strong>${note.op}</strong>${place ? ` at ${baseName(place.file)}:${place.line}` : ""} → <code>${note.choice}</code>
    </p>
    <p>${note.reason}</p>
    ${note.candidates.length > 1 &&
    html`<ul>
      ${note.candidates.map(([choice, score]) => html`<li><code>${choice}</code> ${score}</li>`)}
    </ul>`}
    ${(note.facts.length > 0 || note.costs.length > 0) &&
    html`<dl class="facts">
      ${[...note.facts, ...note.costs].map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
    </dl>`}
  </li>`;
}

/** The passes of a view. */
export function PassView({view}) {
  const [onlyChanges, setOnlyChanges] = useState(true);
  const [position, setPosition] = useState(0);
  const [mode, setMode] = useState("difference");
  const list = useRef(null);
  const steps = useMemo(
    () => view.steps.map((step, index) => ({...step, index})).filter((step) => !onlyChanges || step.changed || step.decisions.length),
    [view, onlyChanges],
  );
  const at = Math.min(position, steps.length - 1);
  const step = steps[at];
  const lines = useMemo(() => {
    if (!step) return [];
    const textAt = (index) => {
      for (let k = index; k >= 0; k--) if (view.steps[k].text) return view.steps[k].text.lines;
      return [];
    };
    const after = textAt(step.index);
    if (mode === "text" || step.index === 0) return after.map((line) => [" ", line]);
    return withContext(difference(textAt(step.index - 1), after));
  }, [step, mode]);
  if (!step) return html`<p>weft did not run the passes of this view, so their steps are unknown.</p>`;
  const move = (next) => setPosition(Math.max(0, Math.min(steps.length - 1, next)));
  const onKey = (event) => {
    if (event.key === "j" || event.key === "ArrowDown") move(at + 1);
    else if (event.key === "k" || event.key === "ArrowUp") move(at - 1);
    else return;
    event.preventDefault();
  };
  const added = lines.filter(([sign]) => sign === "+").length;
  const removed = lines.filter(([sign]) => sign === "-").length;
  return html`<div class="passes">
    <div class="controls">
      <label class="slider">
        Pass ${at + 1} of ${steps.length}
        <input type="range" min="0" max=${steps.length - 1} value=${at} onInput=${(event) => move(Number(event.target.value))} aria-valuetext=${step.name} />
      </label>
      <${Choice} label="Show" options=${[["difference", "difference"], ["text", "whole text"]]} value=${mode} onChange=${setMode} />
      <label><input type="checkbox" checked=${onlyChanges} onChange=${() => setOnlyChanges(!onlyChanges)} /> only passes that changed or decided something</label>
    </div>
    <div class="columns">
      <ol class="steps" role="listbox" tabindex="0" aria-label="Passes; j and k select the next and the previous one" ref=${list} onKeyDown=${onKey} aria-activedescendant=${`step-${at}`}>
        ${steps.map(
          (each, index) => html`<li id=${`step-${index}`} role="option" aria-selected=${index === at} class=${`${index === at ? "lit" : ""} ${each.changed ? "" : "unplaced"}`} onClick=${() => setPosition(index)}>
            ${each.name}${each.decisions.length ? html` <span class="count">${each.decisions.length}</span>` : ""}
          </li>`,
        )}
      </ol>
      <div class="change">
        <h2>${step.name} <span class="type">${mode === "difference" && step.index > 0 ? `+${added} −${removed} lines` : ""}</span></h2>
        <div class="code diff scroll" tabindex="0" role="region" aria-label=${`IR after ${step.name}`}>
          ${step.changed || mode === "text"
            ? lines.map(([sign, line]) => html`<div class=${{"+": "added", "-": "removed", "…": "gap"}[sign] ?? ""}><span class="margin">${sign}</span><span class="text">${line || " "}</span></div>`)
            : html`<p>This pass changed nothing.</p>`}
        </div>
        ${step.decisions.length > 0 &&
        html`<section>
          <h2>Decisions</h2>
          <ul class="decisions">${step.decisions.map((note) => html`<${Decision} note=${note} view=${view} />`)}</ul>
        </section>`}
      </div>
    </div>
  </div>`;
}
