// Making nodes. Text only ever becomes text: nothing here, or anywhere in these files, parses HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if ((value ?? false) !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  node.append(...children.filter((child) => (child ?? "") !== ""));
  return node;
}

/** An HTML element with its attributes, its listeners (`on`) and its children: nodes and texts, where there are any. */
export const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const shape = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/** A button and what a click on it does. */
export const button = (content, click, attributes = {}) =>
  element("button", { type: "button", on: { click }, ...attributes }, content);

/** A small picture on a square of 24, drawn in lines. */
export const icon = (path) =>
  shape("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, shape("path", { d: path }));

/** A link that leaves the conversation where it is. */
export const outward = (attributes, ...children) =>
  element("a", { target: "_blank", rel: "noopener noreferrer", ...attributes }, ...children);
