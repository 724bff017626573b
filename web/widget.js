// <gpukb-chat server lang api-key>: the chat in a corner of any page. Nothing of it leaks into that page, nor into it.
// Until the reader opens it, a page loads little more than this file.

import { button, element, icon } from "./chat/dom.js";
import { nearest, speak, words } from "./chat/words.js";

const HOME = new URL(import.meta.url);
const ROOT_PX = 16;
const BUBBLE = "M4 5h16v11h-9l-4.5 4v-4H4z";
const CROSS = "M6 6l12 12M18 6L6 18";

/** A style sheet for all chats of a page. Sizes become pixels: what `rem` means is up to the page around. */
async function sheet(name) {
  const text = await (await fetch(new URL(name, HOME))).text();
  return new CSSStyleSheet().replace(text.replace(/([\d.]+)rem\b/g, (_, number) => `${number * ROOT_PX}px`));
}

const sheets = Promise.all(["style.css", "chat.css", "widget.css"].map(sheet));

class GpukbChat extends HTMLElement {
  #launch = null;
  #panel = null;
  #chat = null;

  async connectedCallback() {
    if (this.shadowRoot) return; // Only moved.
    const root = this.attachShadow({ mode: "open" });
    const tags = [this.closest("[lang]")?.lang ?? "", ...navigator.languages];
    [root.adoptedStyleSheets] = await Promise.all([sheets, speak(nearest(tags))]);
    this.#launch = button(icon(BUBBLE), () => this.toggle(), {
      id: "launch", "aria-label": words("launch"), "aria-expanded": "false",
    });
    root.append(this.#launch);
  }

  /** Open the panel, or close it. */
  async toggle() {
    if (!this.#panel) await this.#build();
    const isOpen = this.#panel.hidden;
    this.#panel.hidden = !isOpen;
    this.#launch.setAttribute("aria-expanded", String(isOpen));
    (isOpen ? this.#chat.composer.field : this.#launch).focus();
  }

  async #build() {
    const [{ Chat }, { Service }] = await Promise.all([import("./chat/chat.js"), import("./chat/service.js")]);
    if (this.#panel) return; // Clicked twice.
    const server = new URL(this.getAttribute("server") ?? HOME, location.href).origin;
    const chat = new Chat(new Service(server, this.getAttribute("api-key")));
    this.#chat = chat;
    this.#panel = element("section", {
      id: "panel", role: "dialog", "aria-label": words("launch"), hidden: true,
      on: { keydown: (event) => {
        if (event.key === "Escape" && !event.isComposing && !chat.stop()) this.toggle();
      } },
    },
    element("header", {},
      element("h2", {}, words("launch")),
      button(words("fresh"), () => chat.open(), { class: "plain" }),
      button(icon(CROSS), () => this.toggle(), { class: "plain", "aria-label": words("leave") }),
    ),
    element("div", { class: "talk" }, ...chat.nodes),
    chat.composer.node);
    this.#launch.before(this.#panel);
  }
}

customElements.define("gpukb-chat", GpukbChat);
