// One figure of several cards against another: each card a point with its name beside it.

import { element, shape } from "./dom.js";

const HEIGHT_PX = 340;
const FLOOR_PX = HEIGHT_PX - 40; // Below: the ticks of the lower axis and what it shows.
const CEILING_PX = 32;
const [LEFT_PX, RIGHT_PX] = [56, 24]; // Beside the points: the ticks of the upright axis, and air.
const [POINT_PX, LINE_PX] = [5, 16];
const TICKS = 4;

/** Where a name can stand about its point, best first: right, left, above, below, and in the corners. */
const SPOTS = [[10, 4], [-10, 4], [0, -11], [0, 20], [7, -8], [-7, -8], [7, 17], [-7, 17]].map(([dx, dy]) => {
  const side = Math.sign(dx);
  return { dx, dy, anchor: ["end", "middle", "start"][side + 1], share: (1 - side) / 2 };
});

/** The cards that have both figures: `{name, x, y, text}`. */
export function points(across, up) {
  return across.names.map((name, at) => ({
    name, x: across.values[at], y: up.values[at],
    text: `${name}: ${up.label} ${up.cells[at]?.text}, ${across.label} ${across.cells[at]?.text}`,
  })).filter(({ x, y }) => x !== null && y !== null);
}

/** Round values around all the given ones, about TICKS steps of them. */
function ticksOf(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = (most - least || most || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(most / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

const share = (value, ticks) => (value - ticks[0]) / (ticks.at(-1) - ticks[0]);

/** About how wide a text is drawn. */
const widthOf = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 13 : 7.6), 0);

const clash = (one, other) =>
  one.from < other.to && other.from < one.to && one.top < other.bottom && other.top < one.bottom;

/**
 * What stands at each point, and where: its name, else a number that leads to its name, in the first spot in which it
 * neither leaves the chart nor covers what is `taken`, a point or another name; else nothing.
 */
function labels(dots, width, taken) {
  taken.push(...dots.map(({ x, y }) => ({ from: x - POINT_PX, to: x + POINT_PX, top: y - POINT_PX, bottom: y + POINT_PX })));
  const free = ({ x, y }, text) => SPOTS.map((spot) => {
    const from = x + spot.dx - widthOf(text) * spot.share;
    const bottom = y + spot.dy + 4;
    return { text, spot, from, to: from + widthOf(text), top: bottom - LINE_PX, bottom };
  }).find((box) => box.from >= 0 && box.to <= width && box.top >= LINE_PX && box.bottom <= FLOOR_PX
    && !taken.some((other) => clash(box, other)));
  let numbers = 0;
  return dots.map((dot) => {
    const box = free(dot, dot.name) ?? free(dot, String(numbers + 1));
    if (box) taken.push(box);
    if (box && box.text !== dot.name) numbers++;
    return { ...dot, label: box?.text ?? "", ...box?.spot };
  });
}

const point = ({ x, y, text, label, dx, dy, anchor }) => shape("g", {},
  shape("title", {}, text),
  shape("circle", { cx: x, cy: y, r: POINT_PX }),
  label && shape("text", { x: x + dx, y: y + dy, "text-anchor": anchor }, label),
);

function drawn(across, up, width) {
  const cards = points(across, up);
  const [ticksX, ticksY] = [ticksOf(cards.map(({ x }) => x)), ticksOf(cards.map(({ y }) => y))];
  const left = (value) => LEFT_PX + (width - LEFT_PX - RIGHT_PX) * share(value, ticksX);
  const top = (value) => FLOOR_PX - (FLOOR_PX - CEILING_PX) * share(value, ticksY);
  const ticks = ticksY.map((value) => ({ from: 0, to: widthOf(String(value)), top: top(value) - LINE_PX, bottom: top(value) - 4 }));
  const dots = labels(cards.map((card) => ({ ...card, x: left(card.x), y: top(card.y) })), width, ticks);
  const label = dots.map(({ text }) => text).join("; ");
  const svg = shape("svg", { class: "scatter", width, height: HEIGHT_PX, role: "img", "aria-label": label },
    ...ticksY.flatMap((value) => [
      shape("line", { x1: 0, x2: width, y1: top(value), y2: top(value) }),
      shape("text", { class: "tick", x: 0, y: top(value) - 4 }, value),
    ]),
    ...ticksX.map((value) =>
      shape("text", { class: "tick", x: left(value), y: FLOOR_PX + 16, "text-anchor": "middle" }, value)),
    shape("text", { class: "axis", x: 0, y: 12 }, `↑ ${up.label} (${up.shared})`),
    shape("text", { class: "axis", x: width, y: FLOOR_PX + 34, "text-anchor": "end" }, `${across.label} (${across.shared}) →`),
    ...dots.map(point),
  );
  const rest = dots.filter(({ name, label }) => name !== label).map(({ name, label }) => `${label} ${name}`.trim());
  return [svg, element("p", { class: "dim" }, rest.join(" · "))];
}

/** The chart of `up` against `across`, drawn anew for each width that it gets. */
export function scatter(across, up) {
  const node = element("div");
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width) node.replaceChildren(...drawn(across, up, Math.floor(contentRect.width)));
  }).observe(node);
  return node;
}
