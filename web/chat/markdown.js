// The Markdown that answers use, as nodes: paragraphs, headings, lists, fences, tables, bold, code, links, marks.

import { element, outward } from "./dom.js";
import { TOKEN } from "./marks.js";
import { sheet } from "./sheet.js";

const INLINE = new RegExp(String.raw`\*\*(.+?)\*\*|\x60([^\x60]+)\x60|\[([^\]\n]+)\]\((https?:\/\/[^)\s]+)\)|${TOKEN}`, "g");
const ITEM = /^\s*[-*+] +/;
const NUMBERED = /^\s*(\d{1,3})[.)] +/;
const HEADING = /^#{1,6} +/;
const FENCE = /^\s*```/;
const RULE_ROW = /^\|?[\s:|-]*-[\s:|-]*$/;

/** Bold, code, links and marks of a piece of text. */
export function inline(text, marked) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, bold, code, label, address, mark] = match;
    nodes.push(text.slice(last, match.index));
    last = match.index + whole.length;
    if (bold) nodes.push(element("strong", {}, ...inline(bold, marked)));
    else if (code) nodes.push(element("code", {}, marked.plain(code)));
    else if (label) nodes.push(outward({ href: address }, marked.plain(label)));
    else nodes.push(marked.link(mark));
  }
  nodes.push(text.slice(last));
  return nodes;
}

const cells = (line) =>
  line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

/** The lines of a text, read block by block. */
class Lines {
  constructor(text) {
    this.lines = text.split("\n");
    this.at = 0;
  }

  get line() {
    return this.lines[this.at];
  }

  get next() {
    return this.lines[this.at + 1] ?? "";
  }

  get ended() {
    return this.at >= this.lines.length;
  }

  take(test) {
    const from = this.at;
    while (!this.ended && test(this.line)) this.at++;
    return this.lines.slice(from, this.at);
  }
}

const startsTable = (lines) => lines.line.trim().startsWith("|") && RULE_ROW.test(lines.next.trim());

function list(lines, pattern, tag, marked) {
  const start = tag === "ol" ? pattern.exec(lines.line)[1] : undefined;
  const items = lines.take((line) => pattern.test(line));
  const item = (line) => element("li", {}, ...inline(line.replace(pattern, ""), marked));
  return element(tag, { start }, ...items.map(item));
}

function fence(lines, marked) {
  lines.at++;
  const code = lines.take((line) => !FENCE.test(line));
  lines.at++;
  return element("pre", { tabindex: "0" }, element("code", {}, marked.plain(code.join("\n"))));
}

function table(lines, marked, tables) {
  const [head, , ...rows] = lines.take((line) => line.trim().startsWith("|")).map(cells);
  return sheet(head, rows, tables, (cell) => inline(cell, marked));
}

function paragraph(lines, marked) {
  const first = lines.line;
  lines.at++;
  const plain = (line) => line.trim() && ![FENCE, ITEM, NUMBERED, HEADING].some((pattern) => pattern.test(line));
  const rest = lines.take((line) => plain(line) && !startsTable(lines));
  return element("p", {}, ...inline([first, ...rest].join("\n"), marked));
}

/** The blocks of a marked text. `tables` are the answer's own tables: what their figures are. */
export function blocks(marked, tables) {
  const lines = new Lines(marked.text);
  const left = [...tables];
  const nodes = [];
  while (!lines.ended) {
    if (!lines.line.trim()) lines.at++;
    else if (FENCE.test(lines.line)) nodes.push(fence(lines, marked));
    else if (startsTable(lines)) nodes.push(table(lines, marked, left));
    else if (ITEM.test(lines.line)) nodes.push(list(lines, ITEM, "ul", marked));
    else if (NUMBERED.test(lines.line)) nodes.push(list(lines, NUMBERED, "ol", marked));
    else if (HEADING.test(lines.line)) {
      nodes.push(element("h3", {}, ...inline(lines.line.replace(HEADING, ""), marked)));
      lines.at++;
    } else nodes.push(paragraph(lines, marked));
  }
  return nodes;
}
