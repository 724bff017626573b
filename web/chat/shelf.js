// The list of conversations beside the page, a drawer where that is narrow: searched, opened, exported, deleted.

import { button, element } from "./dom.js";
import { language, words } from "./words.js";

function download(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The shelf; `on.open(id)` and `on.removed(id)` are told what the reader does. */
export class Shelf {
  constructor(conversations, on) {
    this.conversations = conversations;
    this.on = on;
    const fresh = button(words("fresh"), () => on.open(null), { id: "fresh" });
    this.field = element("input", {
      type: "search", id: "search", placeholder: words("search"), "aria-label": words("search"),
      on: { input: () => this.show() },
    });
    this.list = element("ul", { id: "conversations", "aria-label": words("conversations") });
    const exporting = button(words("export"), () => {
      download(conversations.exported(), `gpukb-${new Date().toISOString().slice(0, 10)}.json`);
    }, { id: "export", class: "plain" });
    const removing = button(words("removeAll"), () => {
      if (!confirm(words("sureRemoveAll"))) return;
      conversations.removeAll();
      on.removed(null);
    }, { id: "remove-all", class: "plain" });
    this.tools = element("p", {}, exporting, removing);
    this.drawer = button("☰", () => {
      this.isOpen = !this.isOpen;
      if (this.isOpen) this.field.focus();
    }, { id: "drawer", class: "plain", "aria-controls": "shelf" });
    this.state = element("span", { id: "state" });
    const about = element("p", { class: "dim" }, this.state, " ", element("a", { href: "/docs" }, words("api")));
    this.node = element("aside", { id: "shelf", "aria-label": words("conversations") },
      fresh, this.field, this.list, this.tools, about);
  }

  get isOpen() {
    return this.node.classList.contains("is-open");
  }

  set isOpen(isOpen) {
    this.node.classList.toggle("is-open", isOpen);
    this.drawer.setAttribute("aria-expanded", String(isOpen));
    this.drawer.setAttribute("aria-label", words(isOpen ? "close" : "open"));
  }

  #entry({ id, title, updated }) {
    const day = new Date(updated).toLocaleDateString(language(), { month: "short", day: "numeric" });
    const open = element("button", {
      type: "button", class: "open", title, "aria-current": this.conversations.open === id ? "true" : null,
      on: { click: () => this.on.open(id) },
    }, element("span", {}, title), element("time", { datetime: updated }, day));
    const remove = button("×", () => {
      if (!confirm(words("sureRemove"))) return;
      this.conversations.remove(id);
      this.on.removed(id);
    }, { class: "remove", "aria-label": `${words("remove")}: ${title}` });
    return element("li", {}, open, remove);
  }

  show() {
    const found = this.conversations.search(this.field.value);
    const empty = element("li", { class: "dim" }, words(this.field.value.trim() ? "nothing" : "none"));
    this.list.replaceChildren(...(found.length ? found.map((each) => this.#entry(each)) : [empty]));
    this.tools.hidden = this.conversations.list.length === 0;
  }
}
