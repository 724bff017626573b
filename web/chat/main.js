// The chat page: puts its parts together.

import { Composer } from "./composer.js";
import { Conversations } from "./conversations.js";
import { element } from "./dom.js";
import { Problem, ask, index } from "./service.js";
import { Shelf } from "./shelf.js";
import { switchLanguage, translate, words } from "./texts.js";
import { Turn } from "./turn.js";

const log = document.getElementById("log");
const welcome = document.getElementById("welcome");
const status = document.getElementById("status");
const notice = document.getElementById("notice");
const drawer = document.getElementById("shelf");
const drawerButton = document.getElementById("drawer");

const conversations = new Conversations();
const shelf = new Shelf(conversations, { open: show, removed: (id) => (id && id !== conversations.open ? shelf.show() : show(null)) });
const composer = new Composer(put, stop);
const LOOK_AGAIN_MS = 2000;
let running = null;
let nextLook = 0;
let isTroubled = false;

/** Ask in the open conversation. */
async function put(question) {
  const id = conversations.open;
  const before = conversations.get(id)?.turns ?? [];
  const turn = new Turn(question);
  const controller = new AbortController();
  running = controller;
  composer.isBusy = true;
  welcome.hidden = true;
  log.append(turn.node);
  turn.wait("reading");
  turn.node.scrollIntoView({ block: "start" });
  status.textContent = words("searching");
  const started = performance.now();
  let said = "complete";
  try {
    const answer = await ask(question, before, turn.listeners, controller.signal);
    answer.seen_ms = performance.now() - started;
    turn.finish(answer);
    keep(id, { question, answer });
  } catch (error) {
    if (error.name === "AbortError") {
      said = "stopped";
      turn.end(words("stopped"));
      // Whoever opens another conversation has left this question behind.
      if (running === controller) keep(id, { question, partial: turn.text, sources: turn.sources });
    } else {
      said = "failed";
      turn.fail(error.message, () => {
        turn.node.remove();
        put(question);
      });
      if (!(error instanceof Problem)) console.error(error);
    }
  } finally {
    if (running === controller) {
      running = null;
      composer.isBusy = false;
      status.textContent = words(said);
    }
  }
}

function keep(id, turn) {
  conversations.open = conversations.add(id, turn);
  tell(conversations.trouble ? words(conversations.trouble) : "");
  shelf.show();
}

function stop() {
  running?.abort();
}

/** What concerns the whole page. */
function tell(text) {
  notice.textContent = text;
  notice.hidden = !text;
}

/** Open a conversation, or an empty page. */
function show(id) {
  if (running) {
    running.abort();
    running = null;
    composer.isBusy = false;
  }
  const found = conversations.get(id);
  conversations.open = found?.id ?? null;
  log.replaceChildren(...(found?.turns ?? []).map((turn) => Turn.of(turn).node));
  welcome.hidden = Boolean(found);
  status.textContent = "";
  shelf.show();
  openDrawer(false);
  if (found) log.lastElementChild?.scrollIntoView({ block: "start" });
  if (matchMedia("(pointer: fine)").matches) composer.field.focus({ preventScroll: true });
}

function openDrawer(isOpen) {
  drawer.classList.toggle("is-open", isOpen);
  drawerButton.setAttribute("aria-expanded", String(isOpen));
  drawerButton.setAttribute("aria-label", words(isOpen ? "close" : "open"));
}

function showExamples() {
  document.getElementById("examples").replaceChildren(...words("questions").map((question) => element("li", { children: [
    element("button", { type: "button", text: question, on: { click: () => composer.isBusy || put(question) } }),
  ] })));
}

/** What is served, looked at again until something is. */
async function showIndex() {
  clearTimeout(nextLook);
  let trouble = "";
  try {
    const { state, documents, detail } = await index();
    const isReady = state === "ready";
    document.getElementById("state").textContent = isReady ? words("documents", { n: documents.toLocaleString() }) : "";
    if (!isReady) trouble = state === "building" ? words("building") : detail;
  } catch (error) {
    trouble = error.message;
  }
  if (trouble || isTroubled) tell(trouble);
  isTroubled = Boolean(trouble);
  if (trouble) nextLook = setTimeout(showIndex, LOOK_AGAIN_MS);
}

function speak() {
  translate(document);
  showExamples();
  showIndex();
  if (!running) show(conversations.open);
}

document.getElementById("language").addEventListener("click", () => {
  switchLanguage();
  speak();
});
document.getElementById("fresh").addEventListener("click", () => show(null));
drawerButton.addEventListener("click", () => {
  openDrawer(!drawer.classList.contains("is-open"));
  if (drawer.classList.contains("is-open")) document.getElementById("search").focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing) return;
  if (running) stop();
  else if (drawer.classList.contains("is-open")) {
    openDrawer(false);
    drawerButton.focus();
  }
});
addEventListener("storage", () => {
  conversations.reload();
  shelf.show();
});
speak();
