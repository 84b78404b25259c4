import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** A column of a {@link DataTable}. */
export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** True for figures, which are aligned to the right. */
  readonly isNumber?: boolean;
  /** True to hide the column on narrow screens. */
  readonly isMinor?: boolean;
}

/** Props of a {@link DataTable}. */
export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** Table of rows; scrolls sideways if it is too wide. */
export function DataTable<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <div className="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classesOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} className={classesOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classesOf<Row>({ isNumber, isMinor }: Column<Row>): string {
  return [isNumber === true ? 'number' : '', isMinor === true ? 'minor' : ''].join(' ').trim();
}

/** Properties of a list that is loaded page by page. */
export interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Button that loads the next page of a list; nothing at its end. */
export function MoreRows({ query }: { readonly query: PagedQuery }) {
  if (!query.hasNextPage) return undefined;
  return (
    <div className="more">
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}
