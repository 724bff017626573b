// The list of what an answer cites, each with its words and a way into its document.

import { element, outward } from "./dom.js";
import { words } from "./words.js";

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

function entry(source, citations, service) {
  const quoted = ([quote, address]) =>
    element("blockquote", {}, outward({ class: "quiet", href: service.address(address) }, quote));
  const quotes = quotesOf(source, citations);
  const [, address] = quotes[0] ?? ["", source.page_url];
  const more = quotes.slice(QUOTES_SHOWN);
  return element("li", { value: source.index },
    outward({ href: service.address(address) }, placeOf(source)),
    source.published ? element("span", { class: "dim" }, ` ${source.published}`) : null,
    ...quotes.slice(0, QUOTES_SHOWN).map(quoted),
    more.length ? element("details", { class: "more" },
      element("summary", {}, words("more", { n: more.length })), ...more.map(quoted),
    ) : null,
  );
}

/** The sources, closed where they are many. */
export function sourceList({ sources, citations }, service) {
  if (!sources.length) return null;
  return element("details", { class: "sources", open: sources.length <= 3 },
    element("summary", {}, `${words("sources")} (${sources.length})`),
    element("ol", {}, ...sources.map((source) => entry(source, citations, service))),
  );
}
