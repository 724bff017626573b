// What a reader thinks of an answer: a thumb, and for one that points down the reasons.

import { button, element, icon } from "./dom.js";
import { words } from "./words.js";

const THUMB = "M7 11v9H3.5v-9zm0 .5L11 3.8a2.2 2.2 0 0 1 2.6 2.6L12.8 10h6a1.9 1.9 0 0 1 1.9 2.3l-1.3 6.2a2 2 0 0 1-2 1.5H7";

const reason = ([value, text]) => element("label", {}, element("input", { type: "checkbox", name: "reason", value }), text);

/** The two thumbs, the form that asks for reasons, and a place that says thanks. */
export function opinion(answerId, service) {
  const said = element("span", { class: "dim", role: "status" });
  const thumbs = ["up", "down"].map((rating) => button(icon(THUMB), () => {
    if (rating === "up") send({ rating });
    else fold(!form.hidden);
  }, {
    class: `plain ${rating}`, title: words(rating), "aria-pressed": "false",
    "aria-expanded": rating === "down" ? "false" : null,
  }));
  const comment = element("input", { maxlength: 1000, placeholder: words("comment"), "aria-label": words("comment") });
  const form = element("form", {
    class: "reasons", hidden: true, "aria-label": words("why"),
    on: { submit: (event) => {
      event.preventDefault();
      const reasons = new FormData(form).getAll("reason");
      send({ rating: "down", reasons, ...(comment.value.trim() && { comment: comment.value.trim() }) });
    } },
  },
  element("fieldset", {}, element("legend", { class: "dim" }, words("why")), ...Object.entries(words("faults")).map(reason)),
  comment,
  element("button", {}, words("send")));

  function fold(isFolded) {
    form.hidden = isFolded;
    thumbs[1].setAttribute("aria-expanded", String(!isFolded));
    if (!isFolded) form.querySelector("input").focus();
  }

  async function send(rated) {
    try {
      await service.rate({ answer_id: answerId, ...rated });
    } catch (error) {
      said.textContent = error.message;
      return;
    }
    const given = thumbs[rated.rating === "up" ? 0 : 1];
    given.setAttribute("aria-pressed", "true");
    for (const thumb of thumbs) thumb.disabled = true;
    fold(true);
    said.textContent = words("thanks");
  }

  return [said, ...thumbs, form];
}
