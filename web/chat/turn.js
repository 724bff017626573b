// One question with its answer, from asked to whole.

import { asMarkdown, copy } from "./clipboard.js";
import { element } from "./dom.js";
import { blocks } from "./markdown.js";
import { Marked } from "./marks.js";
import { receipt } from "./receipt.js";
import { sourceList } from "./sources.js";
import { words } from "./texts.js";

const STAGES = {
  resolve: "searching", embed: "searching", dense: "searching", sparse: "searching", fuse: "searching", rerank: "searching",
  compose: "checking", generate: "checking", verify: "writing",
};

/** What an answer is, where it is not simply an answer. */
function verdict({ status, reason }) {
  const parts = [status === "answered" ? "" : words(status), words("reasons")[reason] ?? ""].filter(Boolean);
  return parts.length ? element("p", { className: "verdict", text: parts.join(" · ") }) : null;
}

function copyButton(question, answer) {
  const button = element("button", { type: "button", className: "plain", text: words("copy"), on: { click: async () => {
    button.textContent = words((await copy(asMarkdown(question, answer))) ? "copied" : "uncopied");
  } } });
  return button;
}

/** A turn on the page. */
export class Turn {
  constructor(question) {
    this.question = question;
    this.text = "";
    this.sources = [];
    this.tables = [];
    this.body = element("div", { className: "answer" });
    this.foot = element("footer");
    this.node = element("article", { className: "turn", children: [
      element("h2", { tabindex: "-1", children: [element("span", { className: "sr-only", text: `${words("you")}: ` }), question] }),
      this.body,
      this.foot,
    ] });
  }

  /** A turn out of a kept conversation. */
  static of({ question, answer, partial, sources }) {
    const turn = new Turn(question);
    if (answer) turn.finish(answer);
    else {
      turn.text = partial ?? "";
      turn.sources = sources ?? [];
      turn.show();
      turn.end(words("stopped"));
    }
    return turn;
  }

  /** What hears the events of the stream. */
  get listeners() {
    return {
      start: () => this.wait("reading"),
      status: ({ stage }) => this.wait(STAGES[stage] ?? "working"),
      sources: ({ sources }) => { this.sources = sources; },
      delta: ({ text }) => {
        this.text += text;
        this.show();
      },
      table: (table) => {
        this.tables.push(table);
        this.show();
      },
    };
  }

  /** Say what is being done, until the first words come. */
  wait(name) {
    this.node.setAttribute("aria-busy", "true");
    if (!this.text) this.body.replaceChildren(element("p", { className: "waiting", text: words(name) }));
  }

  show() {
    this.body.replaceChildren(...blocks(Marked.partial(this.text, this.sources), this.tables));
  }

  /** The whole answer. */
  finish(answer) {
    this.node.dataset.status = answer.status;
    this.body.replaceChildren(...blocks(Marked.answer(answer), answer.tables));
    const note = verdict(answer);
    if (note) this.body.prepend(note);
    this.foot.replaceChildren(...[sourceList(answer), element("div", { className: "row", children: [
      receipt(answer), copyButton(this.question, answer),
    ] })].filter(Boolean));
    this.node.removeAttribute("aria-busy");
  }

  /** No more comes: stopped by the reader. */
  end(reason) {
    this.node.dataset.status = "stopped";
    if (!this.text) this.body.replaceChildren();
    this.foot.replaceChildren(element("p", { className: "dim", text: reason }));
    this.node.removeAttribute("aria-busy");
  }

  /** No more comes: something went wrong. */
  fail(message, retry) {
    this.node.dataset.status = "failed";
    if (!this.text) this.body.replaceChildren();
    this.foot.replaceChildren(
      element("p", { className: "error", role: "alert", text: message }),
      element("button", { type: "button", text: words("retry"), on: { click: retry } }),
    );
    this.node.removeAttribute("aria-busy");
  }
}
