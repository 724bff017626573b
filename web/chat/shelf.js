// The list of conversations beside the page: searched, opened, exported, deleted.

import { element } from "./dom.js";
import { language, words } from "./texts.js";

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
    this.list = document.getElementById("conversations");
    this.field = document.getElementById("search");
    this.tools = document.getElementById("tools");
    this.field.addEventListener("input", () => this.show());
    document.getElementById("export").addEventListener("click", () => {
      download(conversations.exported(), `gpukb-${new Date().toISOString().slice(0, 10)}.json`);
    });
    document.getElementById("remove-all").addEventListener("click", () => {
      if (!confirm(words("sureRemoveAll"))) return;
      conversations.removeAll();
      on.removed(null);
    });
  }

  entry({ id, title, updated }) {
    const day = new Date(updated).toLocaleDateString(language() === "zh" ? "zh-CN" : "en", { month: "short", day: "numeric" });
    const open = element("button", {
      type: "button", className: "open", title, "aria-current": this.conversations.open === id ? "true" : null,
      on: { click: () => this.on.open(id) },
      children: [element("span", { text: title }), element("time", { datetime: updated, text: day })],
    });
    const remove = element("button", {
      type: "button", className: "remove", "aria-label": `${words("remove")}: ${title}`, text: "×",
      on: { click: () => {
        if (!confirm(words("sureRemove"))) return;
        this.conversations.remove(id);
        this.on.removed(id);
      } },
    });
    return element("li", { children: [open, remove] });
  }

  show() {
    const found = this.conversations.search(this.field.value);
    const empty = element("li", { className: "dim", text: words(this.field.value.trim() ? "nothing" : "none") });
    this.list.replaceChildren(...(found.length ? found.map((each) => this.entry(each)) : [empty]));
    this.tools.hidden = this.conversations.list.length === 0;
  }
}
