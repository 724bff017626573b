// An answer as Markdown, on the clipboard.

import { placeOf, quotesOf } from "./sources.js";
import { words } from "./words.js";

const oneLine = (text) => text.replace(/\s+/g, " ");

const link = (address) => (address ? ` <${new URL(address, location.href)}>` : "");

/** Question, answer and sources as one Markdown text. */
export function asMarkdown(question, answer, service) {
  const list = answer.sources.map((source) => {
    const [quote, address] = quotesOf(source, answer.citations)[0] ?? ["", source.page_url];
    return `[${source.index}] ${placeOf(source)}: “${oneLine(quote)}”${link(service.address(address))}`;
  });
  const sources = list.length ? `\n\n**${words("sources")}**\n\n${list.join("\n\n")}` : "";
  return `### ${oneLine(question)}\n\n${answer.answer.trim()}${sources}\n`;
}

/** Copy; whether it worked. Pages without TLS on another machine have only the older way. */
export async function copy(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { /* Not allowed here: the older way may be. */ }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr-only";
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
