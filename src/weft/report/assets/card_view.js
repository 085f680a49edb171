// The card of a compile: what limits how many blocks run at once, and what limits their speed.

import {html, bytes, number, Facts} from "dom";

function occupancyOf({blocks, warps, max_warps, unit, limits, limited_by}) {
  const others = Object.entries(limits).filter(([name]) => !limited_by.includes(name)).map(([name, count]) => `${name} ${count}`);
  return [
    [`blocks per ${unit === "SIMD" ? "CU" : unit}`, blocks],
    [`warps per ${unit}`, `${warps} of ${max_warps}`],
    ["limited by", limited_by.join(", ")],
    ...(others.length ? [["blocks that others allow", others.join(", ")]] : []),
  ];
}

function rooflineOf({board, balance, limit, share, assumed}, intensity) {
  const name = assumed ? `${board} (rates assumed)` : board;
  if (!balance) return [name, "memory limits the program"];
  const rates = `${intensity.toPrecision(3)} operations per byte, balanced at ${balance.toPrecision(3)}`;
  if (limit !== "memory") return [name, `${limit} operations limit the program: ${rates}`];
  return [name, `memory limits operations to ${(100 * share).toPrecision(3)} % of their rate: ${rates}`];
}

/** The predicted time of a block as [name, value] pairs. */
function blockTimeOf({block_time, block_time_unknown}) {
  if (block_time_unknown) return [["cycles of a block alone", `not predicted: ${block_time_unknown}`]];
  if (!block_time) return [];
  const {from_l2, from_memory, units} = block_time;
  const busy = Object.entries(units).sort(([, a], [, b]) => b - a).map(([unit, cycles]) => `${unit} ${number(Math.round(cycles))}`);
  return [
    ["cycles of a block alone", `${number(Math.round(from_l2))} if loads hit in L2, ${number(Math.round(from_memory))} if none does (predicted)`],
    ["cycles of its units", busy.join(", ")],
  ];
}

/** The resources of a kernel, its traffic, and what the boards with the chip allow. */
export function CardView({card}) {
  const assembled = card.registers !== null;
  return html`<div class="columns">
    <${Facts}
      caption="Resources"
      entries=${[
        ["registers of a thread", assembled ? card.registers : "not assembled"],
        ...(assembled ? [["bytes that a thread spills", card.spill_bytes]] : []),
        ["shared memory of a block", card.shared_bytes === null ? "unknown" : bytes(card.shared_bytes)],
        ...(card.occupancy ? occupancyOf(card.occupancy) : []),
        ...blockTimeOf(card),
      ]}
    />
    <${Facts}
      caption="Roofline"
      entries=${[
        ["loaded by a program", bytes(card.loaded_bytes)],
        ["stored by a program", bytes(card.stored_bytes)],
        ["sectors of all requests", bytes(card.requested_bytes)],
        ...Object.entries(card.operations).map(([kind, count]) => [`operations of ${kind}`, number(count)]),
        ...card.rooflines.map((each) => rooflineOf(each, card.intensity)),
      ]}
    />
  </div>`;
}
