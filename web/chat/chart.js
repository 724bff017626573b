// Bars for one field of several cards. Names and values are written out: no colour is needed to read them.

import { element, shape } from "./dom.js";
import { words } from "./texts.js";

const [ROW_PX, BAR_PX, MOST_BARS] = [38, 10, 24];

function bar({ name, value, text, isBest }, number, most) {
  const top = number * ROW_PX;
  return shape("g", { className: isBest ? "bar is-best" : "bar", children: [
    shape("text", { x: 0, y: top + 15, text: name }),
    shape("text", { x: "100%", y: top + 15, "text-anchor": "end", text }),
    shape("rect", { className: "track", x: 0, y: top + 21, width: "100%", height: BAR_PX, rx: 2 }),
    shape("rect", { className: "length", x: 0, y: top + 21, width: `${((value ?? 0) / most) * 100}%`, height: BAR_PX, rx: 2 }),
  ] });
}

function bars(line) {
  const entries = line.cells.slice(0, MOST_BARS).map((cell, number) => {
    const isBest = line.isBest(cell);
    const sign = isBest ? `${line.wish === "best" ? "▲" : "▼"} ` : "";
    return { name: line.names[number], value: line.values[number], text: sign + (cell?.text ?? "–"), isBest };
  });
  const most = Math.max(...line.values.filter((value) => value !== null));
  const label = `${line.label}: ${entries.map(({ name, text }) => `${name} ${text}`).join("; ")}`;
  return shape("svg", {
    width: "100%", height: entries.length * ROW_PX, role: "img", "aria-label": label,
    children: entries.map((entry, number) => bar(entry, number, most)),
  });
}

/** A chart of the lines that can be compared, with a choice among them; null where there is nothing to compare. */
export function chart(lines) {
  const comparable = lines.filter((line) => line.isComparable && Math.max(...line.values) > 0);
  if (!comparable.length) return null;
  const drawing = element("div", { children: [bars(comparable[0])] });
  const choice = element("select", {
    "aria-label": words("metric"),
    on: { change: () => drawing.replaceChildren(bars(comparable[choice.selectedIndex])) },
    children: comparable.map((line) => element("option", { text: line.label })),
  });
  return element("details", { className: "chart", open: true, children: [
    element("summary", { text: words("chart") }),
    comparable.length > 1 ? choice : element("p", { className: "dim", text: comparable[0].label }),
    drawing,
  ] });
}
