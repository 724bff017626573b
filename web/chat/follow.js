// What could be asked next: figures of the same cards that an answer did not give.

import { button, element } from "./dom.js";
import { words } from "./words.js";

const MOST = 3;

/** Questions that follow an answer, as buttons that `ask`; null where it told no figure of a card. */
export function followUps({ facts }, ask) {
  const told = facts.filter(({ gpu_id: card }) => card).map(({ field }) => field);
  const left = Object.entries(words("follow")).filter(([field]) => !told.includes(field)).slice(0, MOST);
  if (!told.length || !left.length) return null;
  return element("p", { class: "follow" }, ...left.map(([, question]) => button(question, () => ask(question))));
}
