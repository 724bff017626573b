// The chat page: puts its parts together. `?embed=1`, for a frame in another page, leaves the list of conversations out.

import { Chat } from "./chat/chat.js";
import { Conversations } from "./chat/conversations.js";
import { button, element } from "./chat/dom.js";
import { Service } from "./chat/service.js";
import { Shelf } from "./chat/shelf.js";
import { signIn } from "./chat/signin.js";
import { LANGUAGES, language, nearest, speak, words } from "./chat/words.js";

const LANGUAGE_KEY = "gpukb.language";
const LOOK_AGAIN_MS = 2000;

const parameters = new URLSearchParams(location.search);
const isEmbedded = parameters.get("embed") === "1";
const service = new Service();
const conversations = isEmbedded ? null : new Conversations();
const notice = element("p", { id: "notice", role: "alert" });
const account = element("span");
let chat = null;
let shelf = null;
let nextLook = 0;
let isTroubled = false;

/** What concerns the whole page. */
function tell(text) {
  notice.textContent = text;
  notice.hidden = !text;
}

function keep(turn) {
  conversations.open = conversations.add(conversations.open, turn);
  tell(conversations.trouble ? words(conversations.trouble) : "");
  shelf.show();
}

/** Open a conversation, or an empty page. */
function show(id) {
  const found = conversations.get(id);
  conversations.open = found?.id ?? null;
  chat.open(found?.turns);
  shelf.show();
  shelf.isOpen = false;
  if (matchMedia("(pointer: fine)").matches) chat.composer.field.focus({ preventScroll: true });
}

/** What is served, looked at again until something is. */
async function showIndex() {
  clearTimeout(nextLook);
  let trouble = "";
  try {
    const { state, documents, detail } = await service.index();
    const isReady = state === "ready";
    if (shelf) shelf.state.textContent = isReady ? words("documents", { n: documents.toLocaleString() }) : "";
    if (!isReady) trouble = state === "building" ? words("building") : detail;
  } catch (error) {
    if (error.status !== 401) trouble = error.message;
  }
  if (trouble || isTroubled) tell(trouble);
  isTroubled = Boolean(trouble);
  if (trouble) nextLook = setTimeout(showIndex, LOOK_AGAIN_MS);
}

/** A way out for whoever has signed in. */
function showAccount({ keys_required: isRequired, signed_in: isSignedIn }) {
  account.replaceChildren(...(isRequired && isSignedIn ? [button(words("signOut"), async () => {
    await service.signOut();
    location.reload();
  }, { id: "sign-out", class: "plain" })] : []));
}

/** Sign in; whether the reader did. */
async function unlock() {
  const session = await signIn(service);
  if (!session) return false;
  showAccount(session);
  showIndex();
  return true;
}

/** The session has ended: sign in, then ask what is in the field. */
async function locked() {
  if (await unlock()) chat.composer.node.requestSubmit();
}

async function greet() {
  try {
    const session = await service.session();
    showAccount(session);
    if (session.keys_required && !session.signed_in) {
      await unlock();
      return;
    }
  } catch (error) {
    tell(error.message);
  }
  showIndex();
}

async function choose(tag) {
  try {
    localStorage.setItem(LANGUAGE_KEY, tag);
  } catch { /* Holds for this page then. */ }
  chat.stop(); // And keep what there is of the answer before all is built anew.
  await speak(tag);
  build();
}

/** The language asked for in the address, else the one chosen before, else one that the browser prefers. */
function wanted() {
  let kept = null;
  try {
    kept = localStorage.getItem(LANGUAGE_KEY);
  } catch { /* A browser that keeps nothing has chosen nothing. */ }
  return nearest([parameters.get("lang"), kept, ...navigator.languages].filter(Boolean));
}

function languageChoice() {
  const option = ([tag, name]) => element("option", { value: tag, lang: tag, selected: tag === language() }, name);
  const choice = element("select", {
    id: "language", class: "plain", "aria-label": words("language"), on: { change: () => choose(choice.value) },
  }, ...Object.entries(LANGUAGES).map(option));
  return choice;
}

/** The whole page in the language that is spoken. */
function build() {
  const draft = chat?.composer.field.value ?? "";
  document.documentElement.lang = language();
  chat = new Chat(service, { kept: isEmbedded ? null : keep, locked });
  shelf = isEmbedded ? null : new Shelf(conversations, {
    open: show, removed: (id) => (id && id !== conversations.open ? shelf.show() : show(null)),
  });
  const tools = isEmbedded
    ? [button(words("fresh"), () => chat.open(), { id: "fresh", class: "plain" })]
    : [shelf.drawer, element("h1", {}, "gpukb"), account, languageChoice()];
  document.body.replaceChildren(
    element("a", { class: "skip", href: "#question" }, words("skip")),
    element("header", {}, ...tools),
    shelf?.node ?? "",
    element("main", {}, notice, ...chat.nodes),
    chat.composer.node,
  );
  if (!isEmbedded) show(conversations.open);
  chat.composer.write(draft);
  greet();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing || chat.stop() || !shelf?.isOpen) return;
  shelf.isOpen = false;
  shelf.drawer.focus();
});
addEventListener("storage", () => {
  conversations?.reload();
  shelf?.show();
});
notice.hidden = true;
document.body.classList.toggle("embed", isEmbedded);
await speak(wanted());
build();
