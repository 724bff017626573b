// What can be compared in a table of figures: lines of one unit, and which of their values is best.

const MORE_IS_BETTER = /^(memory_gb|memory_bandwidth_gb_s|l2_mb|interconnect_gb_s|pixel_rate_\w+|texture_rate_\w+|video_decode_\w+|\w+_t(fl)?ops(_sparse)?)$/;
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
    const units = new Set(cells.filter(isNumber).map((cell) => cell.unit));
    /** The unit that all figures share, if they do and if nothing else is said beside them. */
    this.unit = units.size === 1 && cells.every((cell) => !isNumber(cell) || printed(cell)) ? [...units][0] : null;
  }

  get values() {
    return this.cells.map((cell) => (printed(cell) ? cell.value : null));
  }

  get isComparable() {
    return this.unit !== null && this.values.filter((value) => value !== null).length > 1;
  }

  /** "best" (most), "least" (least is best), or null where neither is better. */
  get wish() {
    if (MORE_IS_BETTER.test(this.key)) return "best";
    return LESS_IS_BETTER.test(this.key) ? "least" : null;
  }

  /** Whether a cell holds the best value; none does where all are the same. */
  isBest(cell) {
    if (!this.isComparable || !this.wish || !isNumber(cell)) return false;
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
