// Under an answer: how long it took, stage by stage, and what made it.

import { element, shape } from "./dom.js";
import { words } from "./words.js";

const shown = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString());

function stageRow(name, ms, total) {
  const share = total > 0 ? Math.min(100, (ms / total) * 100) : 0;
  const length = shape("svg", { width: "100%", height: 6, "aria-hidden": "true" },
    shape("rect", { class: "length", width: `${share}%`, height: 6, rx: 1 }),
  );
  return element("tr", {},
    element("th", { scope: "row" }, name),
    element("td", { class: "figure" }, ms.toFixed(1)),
    element("td", { class: "share" }, length),
  );
}

function stages(timings, seenMs) {
  const ran = Object.entries(timings).filter(([name, ms]) => ms !== null && name !== "total");
  const longest = Math.max(timings.total, seenMs ?? 0);
  return element("table", { class: "stages" },
    element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, words("stage")),
      element("th", { scope: "col", class: "figure" }, words("ms")),
      element("td"),
    )),
    element("tbody", {},
      ...ran.map(([name, ms]) => stageRow(words("stages")[name] ?? name, ms, longest)),
      stageRow(words("total"), timings.total, longest),
      seenMs ? stageRow(words("seen"), seenMs, longest) : null,
    ),
  );
}

/** The receipt of an answer: the total, and on request all the rest. */
export function receipt(answer) {
  const { timings_ms: timings, seen_ms: seenMs, warnings } = answer;
  const model = answer.model === "extract" ? words("extract") : answer.model;
  const made = [[words("model"), model], [words("device"), answer.device], [words("generation"), answer.index.generation]];
  return element("details", { class: "receipt" },
    element("summary", {}, words("time", { ms: shown(timings.total) })),
    stages(timings, seenMs),
    element("p", { class: "dim" }, made.map((pair) => pair.join(" ")).join(" · ")),
    warnings.length ? element("p", { class: "dim" }, `${words("warnings")}: ${warnings.join(" ")}`) : null,
  );
}
