// The page: a view for each compile, tabs for its parts.

import {html, render, useEffect, useState, Choice, Tabs} from "dom";
import {CodeView} from "code_view";
import {CompareView} from "compare_view";
import {LoopView} from "loop_view";
import {ConversionsView, LayoutsView, MemoryView} from "memory_view";
import {OptimumView} from "optimum_view";
import {PassView} from "pass_view";
import {SummaryView} from "summary_view";

const TABS = [
  ["summary", "Summary"],
  ["code", "Code"],
  ["passes", "Passes"],
  ["loops", "Loops"],
  ["layouts", "Layouts"],
  ["conversions", "Conversions"],
  ["memory", "Memory"],
];

/** Texts are stored as numbers of a list of all lines, since passes change few of them. */
function withLines(page) {
  const expand = (text) => text && {...text, lines: text.lines.map((number) => page.strings[number])};
  return {
    ...page,
    views: page.views.map((view) => ({
      ...view,
      texts: view.texts.map(expand),
      steps: view.steps.map((step) => ({...step, text: expand(step.text)})),
    })),
  };
}

function App({page}) {
  const tabs = [
    ...TABS,
    ...(page.views.some((each) => each.report.optimum) ? [["optimum", "Optimum"]] : []),
    ...(page.views.length > 1 ? [["compare", "Compare"]] : []),
  ];
  const fromAddress = () => {
    const key = location.hash.slice(1);
    return tabs.some(([each]) => each === key) ? key : "summary";
  };
  const [tab, setTab] = useState(fromAddress);
  const [index, setIndex] = useState(0);
  const [lit, setLit] = useState(null);
  useEffect(() => {
    const onHash = () => setTab(fromAddress());
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  const view = page.views[index];
  const select = (key) => {
    history.replaceState(null, "", `#${key}`);
    setTab(key);
  };
  const light = (place) => setLit(place < 0 ? null : place);
  const show = (place) => {
    light(place);
    select("code");
  };
  const panel = {
    summary: () => html`<${SummaryView} view=${view} onLight=${show} />`,
    code: () => html`<${CodeView} key=${index} view=${view} lit=${lit} onLight=${light} />`,
    passes: () => html`<${PassView} key=${index} view=${view} />`,
    loops: () => html`<${LoopView} view=${view} onLight=${show} />`,
    layouts: () => html`<${LayoutsView} key=${index} view=${view} />`,
    conversions: () => html`<${ConversionsView} key=${index} view=${view} />`,
    memory: () => html`<${MemoryView} key=${index} view=${view} />`,
    optimum: () => html`<${OptimumView} key=${index} view=${view} onLight=${show} />`,
    compare: () => html`<${CompareView} page=${page} />`,
  };
  return html`<header>
      <h1>${page.title}</h1>
      ${page.views.length > 1 &&
      html`<${Choice}
        label="Compile"
        options=${page.views.map((each, number) => [number, each.label])}
        value=${index}
        onChange=${(number) => {
          setIndex(number);
          setLit(null);
        }}
      />`}
      <span class="note">weft ${page.weft}</span>
    </header>
    <nav aria-label="Parts of the report">
      <${Tabs} label="Parts of the report" tabs=${tabs} value=${tab} onChange=${select} />
    </nav>
    <main>
      <div id="panel" role="tabpanel" aria-labelledby=${`tab-${tab}`}>${panel[tab]()}</div>
    </main>`;
}

const page = withLines(JSON.parse(document.getElementById("page").textContent));
render(html`<${App} page=${page} />`, document.getElementById("app"));
