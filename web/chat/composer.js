// Where questions are written.

/** The form: Enter sends unless a word is being composed, Shift+Enter breaks the line. */
export class Composer {
  constructor(onAsk, onStop) {
    this.field = document.getElementById("question");
    this.send = document.getElementById("send");
    this.stop = document.getElementById("stop");
    const form = document.getElementById("ask");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const question = this.field.value.trim();
      if (!question || this.isBusy) return;
      this.field.value = "";
      this.fit();
      // The keyboard of a phone would hide the answer.
      if (matchMedia("(pointer: coarse)").matches) this.field.blur();
      onAsk(question);
    });
    this.field.addEventListener("keydown", (event) => {
      // 229: the key that ends a composition, in browsers that report it after the end.
      const isComposing = event.isComposing || event.keyCode === 229;
      if (event.key !== "Enter" || event.shiftKey || isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    this.field.addEventListener("input", () => this.fit());
    this.stop.addEventListener("click", onStop);
  }

  get isBusy() {
    return !this.stop.hidden;
  }

  set isBusy(busy) {
    const hadFocus = [this.send, this.stop].includes(document.activeElement);
    this.stop.hidden = !busy;
    this.send.hidden = busy;
    if (hadFocus) this.field.focus();
  }

  /** As high as its text, up to what the style allows. */
  fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }
}
