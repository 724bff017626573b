// Making nodes. Text only ever becomes text: nothing here, or anywhere in these files, parses HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, { text, children = [], on = {}, ...attributes }) {
  for (const [name, value] of Object.entries(attributes)) {
    if ((value ?? false) !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  node.textContent = text ?? "";
  node.append(...children.filter((child) => (child ?? "") !== ""));
  return node;
}

/** An HTML element with its text or children, listeners (`on`) and attributes. */
export const element = (tag, options = {}) => filled(document.createElement(tag), options);

/** The same for SVG. */
export const shape = (tag, options = {}) => filled(document.createElementNS(SVG, tag), options);

/** A button and what a click on it does. */
export const button = (text, click, options = {}) => element("button", { type: "button", text, on: { click }, ...options });

/** A small picture on a square of 24, drawn in lines. */
export const icon = (path) => shape("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", children: [
  shape("path", { d: path }),
] });

/** A link that leaves the conversation where it is. */
export const outward = (options) => element("a", { target: "_blank", rel: "noopener noreferrer", ...options });
