// A table's figures drawn: bars for one field, points for two. Names and values are written out, no colour is needed.

import { element, shape } from "./dom.js";
import { points, scatter } from "./scatter.js";
import { words } from "./words.js";

const [ROW_PX, BAR_PX, MOST_BARS] = [38, 10, 24];

function bar({ name, value, text, isBest }, number, most) {
  const top = number * ROW_PX;
  return shape("g", { class: isBest ? "bar is-best" : "bar" },
    shape("text", { x: 0, y: top + 15 }, name),
    shape("text", { x: "100%", y: top + 15, "text-anchor": "end" }, text),
    shape("rect", { class: "track", x: 0, y: top + 21, width: "100%", height: BAR_PX, rx: 2 }),
    shape("rect", { class: "length", x: 0, y: top + 21, width: `${((value ?? 0) / most) * 100}%`, height: BAR_PX, rx: 2 }),
  );
}

function bars(line) {
  const entries = line.cells.slice(0, MOST_BARS).map((cell, number) => {
    const isBest = line.isBest(cell);
    const sign = isBest ? `${line.wish === "best" ? "▲" : "▼"} ` : "";
    return { name: line.names[number], value: line.values[number], text: sign + (cell?.text ?? "–"), isBest };
  });
  const most = Math.max(...line.values);
  const spoken = entries.map(({ name, text }) => `${name} ${text}`).join("; ");
  return shape("svg", {
    width: "100%", height: entries.length * ROW_PX, role: "img",
    "aria-label": `${line.label}: ${spoken}`,
  }, ...entries.map((entry, number) => bar(entry, number, most)));
}

const choiceOf = (label, names) =>
  element("select", { "aria-label": label }, ...names.map((name, value) => element("option", { value }, name)));

/** A chart of the lines that can be compared, with a choice among them; null where there is nothing to compare. */
export function chart(lines) {
  const comparable = lines.filter((line) => line.isComparable);
  if (!comparable.length) return null;
  const figure = choiceOf(words("metric"), comparable.map(({ label }) => label));
  const against = choiceOf(words("against"), [words("alone"), ...comparable.map(({ label }) => words("beside", { label }))]);
  const drawing = element("div");

  function draw() {
    const line = comparable[figure.value];
    const other = comparable[against.value - 1];
    drawing.replaceChildren(other && other !== line ? scatter(other, line) : bars(line));
  }

  // Two figures of several cards are asked for to see one against the other.
  if (comparable.length === 2 && points(...comparable).length > 2) against.value = 2;
  draw();
  const several = comparable.length > 1;
  return element("figure", { class: "chart" },
    several ? element("p", { on: { change: draw } }, figure, " ", against)
      : element("p", { class: "dim" }, comparable[0].label),
    drawing,
  );
}
