// One question, one streamed answer. Text becomes DOM nodes only; no HTML is ever parsed.
"use strict";

const form = document.getElementById("ask");
const input = document.getElementById("question");
const stop = document.getElementById("stop");
const log = document.getElementById("log");
let running = null;

/** An element with a class, text or children. */
function element(tag, { className = "", text = "", children = [], ...attributes } = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Bold, code, links and [n] marks of one line. `marks` maps "[1]" to the address of its passage. */
function inline(text, marks) {
  const nodes = [];
  const pattern = /\*\*(.+?)\*\*|`([^`]+)`|\[(\d{1,3})\](?!\()|\[([^\]]+)\]\((https?:\/\/[^)\s]+)\)/g;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    nodes.push(text.slice(last, match.index));
    last = match.index + match[0].length;
    if (match[1]) nodes.push(element("strong", { children: inline(match[1], marks) }));
    else if (match[2]) nodes.push(element("code", { text: match[2] }));
    else if (match[4]) nodes.push(element("a", { text: match[4], href: match[5], rel: "noopener noreferrer" }));
    else if (marks.has(match[0])) {
      nodes.push(element("a", { className: "mark", text: match[0], href: marks.get(match[0]), target: "_blank" }));
    } else nodes.push(match[0]);
  }
  nodes.push(text.slice(last));
  return nodes;
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function table(lines, marks) {
  const row = (line, tag) => element("tr", { children: cells(line).map((cell) => element(tag, { children: inline(cell, marks) })) });
  return element("div", { className: "wide", children: [element("table", { children: [
    element("thead", { children: [row(lines[0], "th")] }),
    element("tbody", { children: lines.slice(2).map((line) => row(line, "td")) }),
  ] })] });
}

/** The Markdown that answers use: paragraphs, headings, lists, tables, fences. */
function markdown(text, marks) {
  const blocks = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    const take = (test) => {
      const taken = [];
      while (i < lines.length && test(lines[i])) taken.push(lines[i++]);
      return taken;
    };
    if (!line.trim()) i++;
    else if (line.startsWith("```")) {
      i++;
      const code = take((next) => !next.startsWith("```"));
      i++;
      blocks.push(element("pre", { children: [element("code", { text: code.join("\n") })] }));
    } else if (line.startsWith("|") && /^\|[\s:|-]+$/.test(lines[i + 1] ?? "")) {
      blocks.push(table(take((next) => next.startsWith("|")), marks));
    } else if (/^\s*[-*] /.test(line)) {
      const items = take((next) => /^\s*[-*] /.test(next));
      blocks.push(element("ul", { children: items.map((item) => element("li", { children: inline(item.replace(/^\s*[-*] /, ""), marks) })) }));
    } else if (/^#{1,4} /.test(line)) {
      i++;
      blocks.push(element("h3", { children: inline(line.replace(/^#+ /, ""), marks) }));
    } else {
      const paragraph = take((next) => next.trim() && !/^(```|\||#{1,4} |\s*[-*] )/.test(next));
      if (!paragraph.length) paragraph.push(lines[i++]);
      blocks.push(element("p", { children: inline(paragraph.join("\n"), marks) }));
    }
  }
  return blocks;
}

/** Events of a stream, as {name, data}. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer += value;
    let end;
    while ((end = buffer.indexOf("\n\n")) >= 0) {
      const lines = buffer.slice(0, end).split("\n");
      buffer = buffer.slice(end + 2);
      const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (name && data) yield { name, data: JSON.parse(data) };
    }
  }
}

function sources(answer) {
  const quotes = new Map(answer.citations.map((citation) => [citation.source_id, citation]));
  return element("ol", { className: "sources", children: answer.sources.map((source) => {
    const citation = quotes.get(source.id);
    const title = source.section && source.section !== source.title ? `${source.title} › ${source.section}` : source.title;
    return element("li", { value: source.index, children: [
      element("a", { text: title, href: citation?.page_url ?? source.page_url, target: "_blank" }),
      element("q", { text: citation?.quote ?? "" }),
    ] });
  }) });
}

function receipt(answer) {
  const stages = Object.entries(answer.timings_ms).filter(([name, ms]) => ms !== null && name !== "total");
  const times = stages.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(", ");
  return element("p", { className: "receipt", text: `${answer.timings_ms.total.toFixed(1)} ms (${times}) · ${answer.model} · ${answer.index.generation}` });
}

function showDone(turn, answer) {
  const marks = new Map(answer.citations.map((citation) => [citation.marker, citation.page_url]));
  turn.replaceChildren(...markdown(answer.answer, marks));
  if (answer.sources.length) turn.append(sources(answer));
  turn.append(receipt(answer));
}

async function ask(question) {
  running = new AbortController();
  stop.hidden = false;
  const turn = element("div", { className: "answer", text: "…" });
  log.prepend(element("article", { children: [element("h2", { text: question }), turn] }));
  try {
    const response = await fetch("/v1/ask", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ question, stream: true }),
      signal: running.signal,
    });
    if (!response.ok) throw new Error((await response.json()).detail);
    let text = "";
    for await (const { name, data } of events(response)) {
      if (name === "delta") turn.replaceChildren(...markdown((text += data.text), new Map()));
      else if (name === "done") showDone(turn, data);
      else if (name === "error") throw new Error(data.detail);
    }
  } catch (error) {
    if (error.name !== "AbortError") turn.append(element("p", { className: "error", text: error.message }));
  } finally {
    running = null;
    stop.hidden = true;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = input.value.trim();
  if (!question || running) return;
  input.value = "";
  ask(question);
});
stop.addEventListener("click", () => running?.abort());

fetch("/v1/index").then((response) => response.json()).then((index) => {
  document.getElementById("state").textContent = index.generation
    ? `${index.documents} 篇文档 · documents, ${index.chunks} chunks, ${index.generation}` : index.detail;
});
