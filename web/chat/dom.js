// Making nodes. Text only ever becomes text: nothing here, or anywhere in these files, parses HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, { className, text, children = [], on = {}, ...attributes }) {
  if (className) node.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  if (text !== undefined && text !== null) node.textContent = text;
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/** An HTML element with its class, text or children, listeners (`on`) and attributes. */
export const element = (tag, options = {}) => filled(document.createElement(tag), options);

/** The same for SVG. */
export const shape = (tag, options = {}) => filled(document.createElementNS(SVG, tag), options);

/** A link that leaves the conversation where it is. */
export const outward = (options) => element("a", { target: "_blank", rel: "noopener noreferrer", ...options });
