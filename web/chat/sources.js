// The list of what an answer cites, each with its words and a way into its document.

import { element, outward } from "./dom.js";
import { local } from "./marks.js";
import { words } from "./texts.js";

const QUOTES_SHOWN = 2;

/** Title, section and page of a source. */
export function placeOf(source) {
  const section = source.section.startsWith(source.title) ? source.section.slice(source.title.length).replace(/^ › /, "") : source.section;
  const page = source.page ? words("page", { n: source.page }) : "";
  return [source.title, section, page].filter(Boolean).join(" › ");
}

/** The quotes of a source in the answer, each once, with the address that opens it. */
export function quotesOf(source, citations) {
  const quotes = new Map();
  for (const citation of citations) {
    if (citation.source_id === source.id) quotes.set(citation.quote, citation.page_url);
  }
  return [...quotes];
}

const quoted = ([quote, address]) =>
  element("blockquote", { children: [outward({ className: "quiet", text: quote, href: local(address) })] });

function more(quotes) {
  if (!quotes.length) return null;
  const summary = element("summary", { text: words("more", { n: quotes.length }) });
  return element("details", { className: "more", children: [summary, ...quotes.map(quoted)] });
}

function entry(source, citations) {
  const quotes = quotesOf(source, citations);
  const [, address] = quotes[0] ?? ["", source.page_url];
  return element("li", { value: source.index, children: [
    outward({ text: placeOf(source), href: local(address) }),
    source.published ? element("span", { className: "dim", text: ` ${source.published}` }) : null,
    ...quotes.slice(0, QUOTES_SHOWN).map(quoted),
    more(quotes.slice(QUOTES_SHOWN)),
  ] });
}

/** The sources, closed where they are many. */
export function sourceList({ sources, citations }) {
  if (!sources.length) return null;
  return element("details", { className: "sources", open: sources.length <= 3, children: [
    element("summary", { text: `${words("sources")} (${sources.length})` }),
    element("ol", { children: sources.map((source) => entry(source, citations)) }),
  ] });
}
