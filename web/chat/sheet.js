// A table as a spec sheet: figures to the right under their unit, the best of each line marked, a chart below.

import { chart } from "./chart.js";
import { element } from "./dom.js";
import { fieldsInColumns, linesOf, printed } from "./figures.js";
import { words } from "./words.js";

const FIGURE = /^[≥≤<>~≈]?\s?\d[\d,.]*(\s?[–-]\s?[\d,.]+)?(\s?[A-Za-z%/\u00b7·²]{1,12})?(\s?\(.*\))?(\s*\ue000\d+\ue001)*$/;

const SHORT = 24; // Characters that a cell keeps on one line, with its marks.

/** The structured table that a Markdown table shows: the first left of the same size, taken out of `tables`. */
function match(head, rows, tables) {
  const at = tables.findIndex((table) => table.rows.length === rows.length && table.columns.length === head.length - 1);
  return at < 0 ? null : tables.splice(at, 1)[0];
}

/** Whether most of a column's cells are figures. */
function isFigures(rows, column) {
  const filled = rows.map((row) => row[column] ?? "").filter(Boolean);
  return filled.length > 0 && filled.filter((cell) => FIGURE.test(cell)).length * 2 > filled.length;
}

const unitOf = (line) => (line?.unit ? [" ", element("small", { class: "unit" }, line.unit)] : []);

/** The marks of a cell in a place of their own, so that the figures before them stand in line. */
function withNotes(nodes, room) {
  const isMark = (node) => node.classList?.contains("mark");
  const notes = element("span", { class: "notes" }, ...nodes.filter(isMark));
  notes.style.setProperty("--marks", room);
  return [...nodes.filter((node) => !isMark(node)).map((node) => (typeof node === "string" ? node.trimEnd() : node)), " ", notes];
}

const sign = ({ wish }) => element("span", {
  class: "best", role: "img", title: words(wish), "aria-label": words(wish),
}, wish === "best" ? "▲" : "▼");

/** One table. */
class Sheet {
  constructor(head, rows, table, inline) {
    Object.assign(this, { head, rows, table, inline });
    this.lines = table ? linesOf(table) : [];
    this.inColumns = table ? fieldsInColumns(table) : true;
    this.figures = head.map((_, column) => column > 0 && this.isFigures(column));
    this.room = Math.max(0, ...rows.flat().map((cell) => cell.split("\ue000").length - 1));
  }

  isFigures(column) {
    return !this.inColumns || Boolean(this.line(0, column)?.unit) || isFigures(this.rows, column);
  }

  line(row, column) {
    return this.lines[this.inColumns ? column - 1 : row];
  }

  title(text, column) {
    const unit = this.inColumns && column > 0 ? unitOf(this.line(0, column)) : [];
    const title = element("th", {
      scope: "col",
      class: this.figures[column] ? "figure" : undefined,
    }, ...this.inline(text), ...unit);
    title.style.setProperty("--marks", this.room);
    return title;
  }

  name(text, row) {
    return element("th", { scope: "row" }, ...this.inline(text), ...(this.inColumns ? [] : unitOf(this.line(row, 1))));
  }

  cell(text, row, column) {
    const line = this.line(row, column);
    const figure = line?.cells[this.inColumns ? row : column - 1];
    const best = line?.isBest(figure);
    // The unit stands at the head of the line already.
    const shown = line?.unit && figure && text.startsWith(figure.text) && printed(figure)
      ? printed(figure) + text.slice(figure.text.length) : text;
    const classes = { figure: this.figures[column], short: shown.length <= SHORT, "is-best": best };
    return element("td", {
      class: Object.keys(classes).filter((name) => classes[name]).join(" ") || undefined,
    }, best ? sign(line) : null, ...this.aligned(this.inline(shown), column));
  }

  aligned(nodes, column) {
    return this.figures[column] && this.room ? withNotes(nodes, this.room) : nodes;
  }

  row(cells, row) {
    const filled = this.head.map((_, column) => cells[column] ?? "");
    return element("tr", {}, ...filled.map((text, column) => (column ? this.cell(text, row, column) : this.name(text, row))));
  }

  node() {
    const caption = this.table?.title ? element("caption", {}, this.table.title) : null;
    return element("table", {},
      caption,
      element("thead", {}, element("tr", {}, ...this.head.map((text, column) => this.title(text, column)))),
      element("tbody", {}, ...this.rows.map((cells, row) => this.row(cells, row))),
    );
  }
}

/** A table of Markdown cells with the structured table it stands for, if `tables` holds it. */
export function sheet(head, rows, tables, inline) {
  const table = match(head, rows, tables);
  const drawn = new Sheet(head, rows, table, inline);
  const label = table?.title || head.filter(Boolean).join(", ");
  const wide = element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, drawn.node());
  return element("div", { class: "sheet" }, wide, chart(drawn.lines));
}
