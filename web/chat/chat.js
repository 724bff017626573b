// A conversation as it is held: what was said, where to write, what is being asked. The page and the widget show one each.

import { Composer } from "./composer.js";
import { button, element } from "./dom.js";
import { followUps } from "./follow.js";
import { Problem } from "./service.js";
import { Turn } from "./turn.js";
import { words } from "./words.js";

/**
 * `on.kept(turn)` hears each turn that has come to its end; `on.locked()` that the service wants a key, with the
 * question back in the field.
 */
export class Chat {
  #running = null;

  constructor(service, on = {}) {
    this.service = service;
    this.on = on;
    this.turns = [];
    this.composer = new Composer((question) => this.ask(question), () => this.stop());
    this.log = element("div", { id: "log", role: "log", "aria-label": words("log") });
    this.status = element("p", { role: "status", class: "sr-only" });
    const example = (question) => element("li", {}, button(question, () => this.#suggested(question)));
    const welcome = element("section", { id: "welcome" },
      element("p", {}, words("tagline")),
      element("h2", {}, words("examples")),
      element("ul", { id: "examples" }, ...words("questions").map(example)),
      words("note") ? element("p", { class: "dim" }, words("note")) : null,
    );
    /** What is above the composer. */
    this.nodes = [this.log, welcome, this.status];
  }

  /** Show these turns of an earlier time, or none. */
  open(turns = []) {
    this.stop();
    this.#running = null;
    this.composer.isBusy = false;
    this.turns = [...turns];
    this.log.replaceChildren(...turns.map((turn) => Turn.of(turn, this.service).node));
    this.status.textContent = "";
    this.log.lastElementChild?.scrollIntoView({ block: "start" });
  }

  /** End what is being asked; whether anything was. */
  stop() {
    this.#running?.abort();
    return this.#running !== null;
  }

  #suggested(question) {
    if (!this.composer.isBusy) this.ask(question);
  }

  async ask(question) {
    const { turns } = this;
    const turn = new Turn(question, this.service);
    const controller = new AbortController();
    this.#running = controller;
    this.composer.isBusy = true;
    this.log.append(turn.node);
    turn.wait("reading");
    turn.node.scrollIntoView({ block: "start" });
    this.status.textContent = words("searching");
    const started = performance.now();
    let said = "complete";
    try {
      const answer = await this.service.ask(question, turns, turn.listeners, controller.signal);
      answer.seen_ms = performance.now() - started;
      turn.finish(answer);
      turn.foot.append(followUps(answer, (next) => this.#suggested(next)) ?? "");
      this.#keep(turns, { question, answer });
    } catch (error) {
      if (error.name === "AbortError") {
        said = "stopped";
        turn.end(words(said));
        this.#keep(turns, { question, partial: turn.text, sources: turn.sources });
      } else {
        said = "failed";
        this.#failed(turn, error);
      }
    }
    if (this.#running !== controller) return;
    this.#running = null;
    this.composer.isBusy = false;
    this.status.textContent = words(said);
  }

  /** Whoever has opened another conversation has left the question behind. */
  #keep(turns, turn) {
    if (turns !== this.turns) return;
    turns.push(turn);
    this.on.kept?.(turn);
  }

  #failed(turn, error) {
    if (!(error instanceof Problem)) console.error(error);
    if (error.status === 401 && this.on.locked) {
      turn.node.remove();
      this.composer.write(turn.question);
      this.on.locked();
    } else {
      turn.fail(error.message, () => {
        turn.node.remove();
        this.ask(turn.question);
      });
    }
  }
}
