import { printable } from '@ravi/approval-web/text';
import { DataTable } from '../ui/data-table.tsx';
import { formatCount } from '../ui/format.ts';
import type { TextTable } from './table-of.ts';

/** The first rows of a table. */
export function TextTableView({ table: { columns, rows } }: { readonly table: TextTable }) {
  return (
    <>
      <DataTable
        label="Preview as a table"
        columns={columns.map((name, place) => ({
          name: printable(name),
          cell: ({ cells }: Row) => printable(cells[place] ?? ''),
          isNumber: rows.every(
            (cells) => cells[place] !== undefined && cells[place].trim() !== '' && !Number.isNaN(Number(cells[place])),
          ),
        }))}
        rows={rows.map((cells, index) => ({ cells, index }))}
        keyOf={({ index }) => String(index)}
      />
      <p className="muted">
        {formatCount(rows.length)} {rows.length === 1 ? 'row' : 'rows'} shown
      </p>
    </>
  );
}

interface Row {
  readonly cells: readonly string[];
  readonly index: number;
}
