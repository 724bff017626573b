// Where questions are written.

import { button, element } from "./dom.js";
import { words } from "./words.js";

/** The form: Enter sends unless a word is being composed, Shift+Enter breaks the line. */
export class Composer {
  constructor(onAsk, onStop) {
    this.field = element("textarea", {
      id: "question", rows: 1, maxlength: 2000, autocomplete: "off", enterkeyhint: "send", required: true,
      placeholder: words("placeholder"), "aria-label": words("question"), "aria-describedby": "hint",
      on: { input: () => this.fit(), keydown: (event) => this.#typed(event) },
    });
    this.send = element("button", { id: "send" }, words("send"));
    this.stop = button(words("stop"), onStop, { id: "stop", hidden: true });
    this.node = element("form", {
      id: "ask", "aria-label": words("question"),
      on: { submit: (event) => {
        event.preventDefault();
        const question = this.field.value.trim();
        if (!question || this.isBusy) return;
        this.write("");
        // The keyboard of a phone would hide the answer.
        if (matchMedia("(pointer: coarse)").matches) this.field.blur();
        onAsk(question);
      } },
    },
    element("div", { class: "box" }, this.field, this.send, this.stop),
    element("p", { id: "hint", class: "dim" }, words("hint")));
  }

  #typed(event) {
    // 229: the key that ends a composition, in browsers that report it after the end.
    const isComposing = event.isComposing || event.keyCode === 229;
    if (event.key !== "Enter" || event.shiftKey || isComposing) return;
    event.preventDefault();
    this.node.requestSubmit();
  }

  get isBusy() {
    return !this.stop.hidden;
  }

  set isBusy(busy) {
    const hadFocus = [this.send, this.stop].includes(this.node.getRootNode().activeElement);
    this.stop.hidden = !busy;
    this.send.hidden = busy;
    if (hadFocus) this.field.focus();
  }

  /** Put a text into the field. */
  write(text) {
    this.field.value = text;
    this.fit();
  }

  /** As high as its text, up to what the style allows. */
  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }
}
