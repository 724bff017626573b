// The [n] marks of an answer: where they stand and what they open.

import { outward } from "./dom.js";
import { words } from "./words.js";

// A mark travels through the Markdown as its number between two characters that no text uses.
const [OPEN, CLOSE] = ["\ue000", "\ue001"];

/** What inline text looks for, without its slashes. */
export const TOKEN = `${OPEN}(\\d+)${CLOSE}`;

/** The marks of a text that is still coming: each [n] whose source is known. */
function seen(text, sources) {
  const marks = [];
  for (const match of text.matchAll(/\[(\d{1,3})\]/g)) {
    const source = sources.find((each) => each.index === Number(match[1]));
    if (source) marks.push({ start: match.index, end: match.index + match[0].length, marker: match[0], page_url: source.page_url });
  }
  return marks;
}

/** A text, or the list of its code points, with its marks taken out of it. */
export class Marked {
  constructor(text, marks, sources, service) {
    this.service = service;
    this.marks = [...marks].sort((one, other) => one.start - other.start);
    this.sources = new Map(sources.map((source) => [source.id, source]));
    let last = 0;
    const parts = [];
    this.marks.forEach((mark, number) => {
      parts.push(...text.slice(last, mark.start), `${OPEN}${number}${CLOSE}`);
      last = mark.end;
    });
    this.text = [...parts, ...text.slice(last)].join("");
  }

  /** Of a whole answer: its citations say where each mark stands, in code points. */
  static answer({ answer, citations, sources }, service) {
    return new Marked([...clean(answer)], citations, sources, service);
  }

  /** Of an answer that is still coming. */
  static partial(text, sources, service) {
    return new Marked(clean(text), seen(clean(text), sources), sources, service);
  }

  /** The link of one mark. */
  link(number) {
    const { marker, page_url: address, quote, source_id: id } = this.marks[number];
    const text = marker.slice(1, -1);
    const label = [`${words("source")} ${text}`, this.sources.get(id)?.title].filter(Boolean).join(": ");
    return outward({ class: "mark", href: this.service.address(address), title: quote, "aria-label": label }, text);
  }

  /** Text with its marks written out again, for code and for titles. */
  plain(text) {
    return text.replace(new RegExp(TOKEN, "g"), (_, number) => this.marks[number].marker);
  }
}

const clean = (text) => text.replaceAll(OPEN, "\ufffd").replaceAll(CLOSE, "\ufffd");
