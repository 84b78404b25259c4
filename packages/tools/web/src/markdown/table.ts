/** Text of a cell from which a table is taken for the layout of a page. */
const maxCellChars = 300;
const maxColumns = 100;

/** Rows of a table. */
export class Table {
  readonly #rows: string[][] = [];
  /** Tables inside a cell of this one. */
  depth = 0;
  /** True between the tags of a cell. */
  isCell = false;

  /** Begins a row. An empty one takes no memory. */
  row(): void {
    if (this.#rows.at(-1)?.every((cell) => cell === '') === true) this.#rows.pop();
    this.#rows.push([]);
  }

  /** Ends the cell, which becomes the last one of the last row. */
  endCell(text: string): void {
    this.isCell = false;
    if (this.#rows.length === 0) this.row();
    const row = this.#rows.at(-1);
    if (row !== undefined && row.length < maxColumns) row.push(text.replaceAll('\n', ' '));
    else if (row !== undefined && text !== '') row.push(`${row.pop() ?? ''} ${text}`);
  }

  /** Returns the lines of the table, or its cells as paragraphs if it only arranges a page. */
  blocks(): readonly string[] {
    const rows = this.#rows.filter((row) => row.some((cell) => cell !== ''));
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    if (columns < 2 || rows.some((row) => row.some((cell) => cell.length > maxCellChars))) {
      return rows.flat().filter((cell) => cell !== '');
    }
    const [head = [], ...rest] = rows.map((row) => {
      const cells = row.map((cell) => cell.replaceAll('|', '\\|'));
      // Rows of hostile tables have one long row among many short ones: only the end is filled up.
      return cells.length === columns || rows.length * columns > 100_000
        ? cells
        : [...cells, ...Array.from({ length: columns - cells.length }, () => '')];
    });
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    return [[line(head), line(head.map(() => '---')), ...rest.map(line)].join('\n')];
  }
}
