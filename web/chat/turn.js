// One question with its answer, from asked to whole.

import { asMarkdown, copy } from "./clipboard.js";
import { button, element } from "./dom.js";
import { opinion } from "./opinion.js";
import { blocks } from "./markdown.js";
import { Marked } from "./marks.js";
import { receipt } from "./receipt.js";
import { sourceList } from "./sources.js";
import { words } from "./words.js";

const STAGES = { compose: "checking", generate: "checking", verify: "writing" }; // All others search.

/** What an answer is, where it is not simply an answer. */
function verdict({ status, reason }) {
  const parts = [status === "answered" ? "" : words(status), words("reasons")[reason] ?? ""].filter(Boolean);
  return parts.length ? element("p", { class: "verdict" }, parts.join(" · ")) : null;
}

/** A turn on the page. */
export class Turn {
  constructor(question, service) {
    this.question = question;
    this.service = service;
    this.text = "";
    this.sources = [];
    this.tables = [];
    this.body = element("div", { class: "answer" });
    this.foot = element("footer");
    this.node = element("article", { class: "turn" },
      element("h2", { tabindex: "-1" }, element("span", { class: "sr-only" }, `${words("you")}: `), question),
      this.body,
      this.foot,
    );
  }

  /** A turn out of a kept conversation. */
  static of({ question, answer, partial = "", sources = [] }, service) {
    const turn = new Turn(question, service);
    if (answer) turn.finish(answer);
    else {
      Object.assign(turn, { text: partial, sources });
      turn.#show();
      turn.end(words("stopped"));
    }
    return turn;
  }

  /** What hears the events of the stream. */
  get listeners() {
    return {
      status: ({ stage }) => this.wait(STAGES[stage] ?? "searching"),
      sources: ({ sources }) => { this.sources = sources; },
      delta: ({ text }) => {
        this.text += text;
        this.#show();
      },
      table: (table) => {
        this.tables.push(table);
        this.#show();
      },
    };
  }

  /** Say what is being done, until the first words come. */
  wait(name) {
    this.node.setAttribute("aria-busy", "true");
    if (!this.text) this.body.replaceChildren(element("p", { class: "waiting dim" }, words(name)));
  }

  #show() {
    this.body.replaceChildren(...blocks(Marked.partial(this.text, this.sources, this.service), this.tables));
  }

  #end(status, ...foot) {
    this.node.dataset.status = status;
    this.node.removeAttribute("aria-busy");
    this.foot.replaceChildren(...foot.filter(Boolean));
  }

  /** The whole answer. */
  finish(answer) {
    const note = verdict(answer);
    this.body.replaceChildren(...(note ? [note] : []), ...blocks(Marked.answer(answer, this.service), answer.tables));
    const copying = button(words("copy"), async () => {
      const markdown = asMarkdown(this.question, answer, this.service);
      copying.textContent = words((await copy(markdown)) ? "copied" : "uncopied");
    }, { class: "plain" });
    this.#end(answer.status, sourceList(answer, this.service), element("div", { class: "row" },
      receipt(answer), copying, ...opinion(answer.id, this.service),
    ));
  }

  /** No more comes: stopped by the reader. */
  end(reason) {
    if (!this.text) this.body.replaceChildren();
    this.#end("stopped", element("p", { class: "dim" }, reason));
  }

  /** No more comes: something went wrong. */
  fail(message, retry) {
    if (!this.text) this.body.replaceChildren();
    this.#end("failed", element("p", { class: "error", role: "alert" }, message), button(words("retry"), retry));
  }
}
