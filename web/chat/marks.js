// The [n] marks of an answer: where they stand and what they open.

import { outward } from "./dom.js";
import { words } from "./texts.js";

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

/** A text with its marks taken out of it. */
export class Marked {
  constructor(text, marks, sources) {
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
  static answer({ answer, citations, sources }) {
    return new Marked([...clean(answer)], citations, sources);
  }

  /** Of an answer that is still coming. */
  static partial(text, sources) {
    return new Marked([...clean(text)], onPoints(clean(text), seen(clean(text), sources)), sources);
  }

  /** The link of one mark. */
  link(number) {
    const { marker, page_url: address, quote, source_id: id } = this.marks[number];
    const title = this.sources.get(id)?.title ?? "";
    const label = `${words("source")} ${marker.slice(1, -1)}${title ? `: ${title}` : ""}`;
    return outward({ className: "mark", text: marker.slice(1, -1), href: local(address), title: quote, "aria-label": label });
  }

  /** Text with its marks written out again, for code and for titles. */
  plain(text) {
    return text.replace(new RegExp(TOKEN, "g"), (_, number) => this.marks[number].marker);
  }
}

const clean = (text) => text.replaceAll(OPEN, "\ufffd").replaceAll(CLOSE, "\ufffd");

/** The same marks with places in code points instead of UTF-16 units. */
const onPoints = (text, marks) => marks.map((mark) => {
  const start = [...text.slice(0, mark.start)].length;
  return { ...mark, start, end: start + mark.end - mark.start };
});

/** A path of this service, or nothing: an address can not run a script or lead elsewhere. */
export const local = (address) => (/^\/(?![/\\])/.test(address ?? "") ? address : undefined);
