// What can be compared in a table of figures: lines of one unit, and which of their values is best.

const MORE_IS_BETTER = /^(memory_(gb|bandwidth_gb_s)|l2_mb|interconnect_gb_s|(pixel|texture)_rate_\w+|video_decode_\w+|\w+_t(fl)?ops(_sparse)?)$/;
const LESS_IS_BETTER = /^(tdp_w|price_usd)$/;
const NUMBER = /^\d[\d,]*(\.\d+)?/;

const isNumber = (cell) => typeof cell?.value === "number" && Boolean(cell.unit);

/** The number as printed, if that and the unit are all that a cell says; of "48 GB / 96 GB" nothing. */
export function printed(cell) {
  if (!isNumber(cell)) return null;
  const number = NUMBER.exec(cell.text)?.[0];
  return number && cell.text.slice(number.length).trim() === cell.unit ? number : null;
}

/**
 * Whether the fields stand in the columns (one row for each card) or in the rows. Cards' ids have no underscore, and a
 * table without a figure is read by its columns like any other.
 */
export const fieldsInColumns = ({ columns, rows }) =>
  columns.some((column) => column.key.includes("_")) || !rows.some((row) => Object.values(row.cells).some(isNumber));

/** One field of several cards. */
class Line {
  constructor(field, names, cells) {
    this.key = field.key;
    this.label = field.label;
    this.names = names;
    this.cells = cells;
    /** The plain figures; null where a cell says something else or more. */
    this.values = cells.map((cell) => (printed(cell) ? cell.value : null));
    const figures = cells.filter(isNumber);
    const units = new Set(figures.map((cell) => cell.unit));
    /** The unit of all figures, where they share one. */
    this.shared = units.size === 1 ? [...units][0] : null;
    /** The same, if besides no figure says more than itself: then it can stand once for all. */
    this.unit = figures.every(printed) ? this.shared : null;
  }

  /** Whether there is something to compare: two figures of one unit, one of them above nothing. */
  get isComparable() {
    return this.shared !== null && this.values.filter((value) => value !== null).length > 1 && Math.max(...this.values) > 0;
  }

  /** "best" (most), "least" (least is best), or null where neither is better. */
  get wish() {
    if (MORE_IS_BETTER.test(this.key)) return "best";
    return LESS_IS_BETTER.test(this.key) ? "least" : null;
  }

  /** Whether a cell holds the best value; none does where all are the same, or where one says more than a figure. */
  isBest(cell) {
    if (!this.unit || !this.isComparable || !this.wish || !isNumber(cell)) return false;
    const values = this.values.filter((value) => value !== null);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return least !== most && cell.value === (this.wish === "best" ? most : least);
  }
}

/** The fields of a table, each with all its cards. */
export function linesOf(table) {
  const { columns, rows } = table;
  if (fieldsInColumns(table)) {
    const names = rows.map((row) => row.label);
    return columns.map((column) => new Line(column, names, rows.map((row) => row.cells[column.key])));
  }
  const names = columns.map((column) => column.label);
  return rows.map((row) => new Line(row, names, columns.map((column) => row.cells[column.key])));
}
