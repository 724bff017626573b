// The service as the page and the widget use it.

import { events } from "./stream.js";
import { language, words } from "./words.js";

const ROUNDS_SENT = 12; // Earlier turns that a question takes along: enough to keep its subject.

/** What went wrong, in a sentence for the reader, and the HTTP status where there was one. */
export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }

  static of(problem, status) {
    const detail = problem.detail ?? problem.title ?? words("failed");
    const more = (problem.errors ?? []).filter(({ msg }) => !detail.includes(msg)).map(({ loc, msg }) => `${loc}: ${msg}`);
    return new Problem([detail, ...more].join("\n"), status);
  }
}

const messages = (turns) => turns.filter((turn) => turn.answer).slice(-ROUNDS_SENT).flatMap((turn) => [
  { role: "user", content: turn.question },
  { role: "assistant", content: turn.answer.answer },
]);

/** A service at `server` (an origin; "": where the page is from), asked with `key` or with what the browser has. */
export class Service {
  constructor(server = "", key = null) {
    this.server = server;
    this.key = key;
  }

  async #reached(path, { body, headers, ...options } = {}) {
    let response;
    try {
      response = await fetch(this.server + path, {
        ...options,
        body: body && JSON.stringify(body),
        headers: {
          "Accept-Language": language(),
          ...(body && { "Content-Type": "application/json" }),
          ...(this.key && { Authorization: `Bearer ${this.key}` }),
          ...headers,
        },
      });
    } catch (error) {
      throw error.name === "AbortError" ? error : new Problem(words("unreachable"));
    }
    if (response.ok) return response;
    const isProblem = response.headers.get("Content-Type")?.includes("json");
    throw isProblem
      ? Problem.of(await response.json(), response.status)
      : new Problem(`${words("failed")} (HTTP ${response.status})`, response.status);
  }

  /**
   * Ask, with the turns before; `on[event name](data)` hears each event.
   * Returns the whole answer. Throws a Problem, or the AbortError of `signal`.
   */
  async ask(question, turns, on, signal) {
    const response = await this.#reached("/v1/ask", {
      method: "POST",
      headers: { Accept: "text/event-stream, application/json" },
      body: { question, messages: messages(turns), stream: true },
      signal,
    });
    for await (const { name, data } of events(response)) {
      if (name === "done") return data;
      if (name === "error") throw Problem.of(data);
      on[name]?.(data);
    }
    throw new Problem(words("broken"));
  }

  /** What is served: state, documents, generation. */
  async index() {
    return (await this.#reached("/v1/index")).json();
  }

  /** Say what an answer was worth. */
  async rate(opinion) {
    await this.#reached("/v1/feedback", { method: "POST", body: opinion });
  }

  /** Whether keys are required and whether this browser has signed in; with a key: sign in. */
  async session(key) {
    return (await this.#reached("/ui/session", key === undefined ? {} : { method: "POST", body: { key } })).json();
  }

  async signOut() {
    await this.#reached("/ui/session", { method: "DELETE" });
  }

  /** The address of a path of this service, or nothing: a citation can not run a script or lead elsewhere. */
  address(path) {
    return /^\/(?![/\\])/.test(path ?? "") ? this.server + path : undefined;
  }
}
