// Signing in with a key, where the service wants one.

import { element } from "./dom.js";
import { words } from "./words.js";

/** Ask for a key until one is taken. Returns the session, or null where the reader closes the dialog. */
export function signIn(service) {
  const { promise, resolve } = Promise.withResolvers();
  const trouble = element("p", { class: "error", role: "alert" });
  const key = element("input", { type: "password", id: "key", autocomplete: "current-password", spellcheck: "false", required: true });
  const form = element("form", {
    on: { submit: async (event) => {
      event.preventDefault();
      try {
        resolve(await service.session(key.value.trim()));
        dialog.close();
      } catch (error) {
        trouble.textContent = error.message;
        key.select();
      }
    } },
  },
  element("h2", { id: "sign-in" }, words("signIn")),
  element("p", {}, words("keyNeeded")),
  element("label", { for: "key" }, words("key")),
  key,
  trouble,
  element("button", {}, words("signIn")));
  const dialog = element("dialog", {
    "aria-labelledby": "sign-in",
    on: { close: () => {
      dialog.remove();
      resolve(null);
    } },
  }, form);
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}
