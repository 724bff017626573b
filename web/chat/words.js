// The words of the interface, in the language that is shown. One language is loaded at a time.

/** The languages there are words in, by their tags. */
export const LANGUAGES = { "zh-Hans": "简体中文", "zh-Hant": "繁體中文", en: "English" };

let current = "en";
let found = {};

/** The tag of the language shown. */
export const language = () => current;

/** Of our languages the one that a reader of these tags knows: the first that fits, else English. */
export function nearest(tags) {
  for (const tag of tags) {
    if (/^zh\b.*(hant|tw|hk|mo)/i.test(tag)) return "zh-Hant";
    if (/^zh\b/i.test(tag)) return "zh-Hans";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

/** Show the words of this language from here on. */
export async function speak(tag) {
  found = (await import(`./words/${tag}.js`)).default;
  current = tag;
}

/** The words under a name; `{n}` and the like are filled in. */
export function words(name, values = {}) {
  const text = found[name];
  return typeof text === "string" ? text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole) : text;
}
