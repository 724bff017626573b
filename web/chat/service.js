// The service as this page uses it: a question asked, the state of the index.

import { events } from "./stream.js";
import { language, words } from "./texts.js";

const ROUNDS_SENT = 12; // Earlier turns that a question takes along: enough to keep its subject.

/** What went wrong, in a sentence for the reader. */
export class Problem extends Error {
  static of(problem) {
    const detail = problem.detail ?? problem.title ?? words("failed");
    const more = (problem.errors ?? []).filter(({ msg }) => !detail.includes(msg)).map(({ loc, msg }) => `${loc}: ${msg}`);
    return new Problem([detail, ...more].join("\n"));
  }
}

async function reached(address, options) {
  let response;
  try {
    response = await fetch(address, { ...options, headers: { ...options.headers, "Accept-Language": language() } });
  } catch (error) {
    throw error.name === "AbortError" ? error : new Problem(words("unreachable"));
  }
  if (response.ok) return response;
  const isProblem = response.headers.get("Content-Type")?.includes("json");
  throw isProblem ? Problem.of(await response.json()) : new Problem(`${words("failed")} (HTTP ${response.status})`);
}

const messages = (turns) => turns.filter((turn) => turn.answer).slice(-ROUNDS_SENT).flatMap((turn) => [
  { role: "user", content: turn.question },
  { role: "assistant", content: turn.answer.answer },
]);

/**
 * Ask, with the turns before; `on[event name](data)` hears each event.
 * Returns the whole answer. Throws a Problem, or the AbortError of `signal`.
 */
export async function ask(question, turns, on, signal) {
  const response = await reached("/v1/ask", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
    body: JSON.stringify({ question, messages: messages(turns), stream: true }),
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
export const index = async () => (await reached("/v1/index", {})).json();
