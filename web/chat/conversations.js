// Conversations kept in this browser and nowhere else.

const KEY = "gpukb.conversations";
const OPEN_KEY = "gpukb.open";

/** What of an answer is kept: all that is shown of it. */
function kept(answer) {
  const { facts, usage, ...shown } = answer;
  return { ...shown, sources: answer.sources.map(({ text, scores, ...source }) => source) };
}

const newId = () => `cnv_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

function stored() {
  try {
    const list = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((each) => each?.id && Array.isArray(each.turns)) : [];
  } catch {
    return null; // Nothing can be read: either not allowed, or not ours.
  }
}

/** All conversations, newest first. */
export class Conversations {
  constructor() {
    this.list = stored() ?? [];
    /** The name of a text that says what went wrong with keeping, or null. */
    this.trouble = null;
  }

  /** What another tab has written. */
  reload() {
    this.list = stored() ?? this.list;
  }

  get(id) {
    return this.list.find((each) => each.id === id);
  }

  /** Those whose questions or answers hold all the words searched. */
  search(text) {
    const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return this.list;
    return this.list.filter(({ turns }) => {
      const all = turns.map((turn) => `${turn.question} ${turn.answer?.answer ?? turn.partial ?? ""}`).join(" ").toLowerCase();
      return wanted.every((word) => all.includes(word));
    });
  }

  /** Add a turn to a conversation, or to a new one; returns its id. */
  add(id, { answer, ...turn }) {
    this.reload();
    const found = this.get(id) ?? { id: newId(), title: turn.question, created: new Date().toISOString(), turns: [] };
    found.turns.push(answer ? { ...turn, answer: kept(answer) } : turn);
    found.updated = new Date().toISOString();
    this.list = [found, ...this.list.filter((each) => each.id !== found.id)];
    this.#save();
    return found.id;
  }

  remove(id) {
    this.reload();
    this.list = this.list.filter((each) => each.id !== id);
    this.#save();
  }

  removeAll() {
    this.list = [];
    this.#save();
  }

  /** All of them as one JSON text. */
  exported() {
    return JSON.stringify({ object: "list", exported: new Date().toISOString(), data: this.list }, null, 2);
  }

  /** The conversation that this tab shows, also after a reload. */
  get open() {
    try {
      return sessionStorage.getItem(OPEN_KEY);
    } catch {
      return null;
    }
  }

  set open(id) {
    try {
      sessionStorage.setItem(OPEN_KEY, id ?? "");
    } catch { /* A reload starts anew then. */ }
  }

  /** Write all; where there is no room the oldest give way. */
  #save() {
    this.trouble = null;
    for (;;) {
      try {
        localStorage.setItem(KEY, JSON.stringify(this.list));
        return;
      } catch (error) {
        if (error.name !== "QuotaExceededError" || this.list.length < 2) {
          this.trouble = "unsaved";
          return;
        }
        this.list.pop();
        this.trouble = "full";
      }
    }
  }
}
