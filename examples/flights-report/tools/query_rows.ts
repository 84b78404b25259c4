import { defineTool } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { fits, operators, order } from '../src/rows/condition.ts';
import type { Condition } from '../src/rows/condition.ts';
import { readRows } from '../src/rows/read-rows.ts';
import { requireColumns, valueAt } from '../src/rows/row.ts';
import type { Row } from '../src/rows/row.ts';
import { tableOf, tableSchema } from '../src/rows/row-reader.ts';

const queryRows: Tool = defineTool({
  name: 'query_rows',
  description: 'Rows of a table that fit all conditions. Columns of nested objects have dotted names: properties.mag.',
  risk: 'safe',
  artifacts: 'stream',
  inputSchema: {
    type: 'object',
    required: ['table'],
    properties: {
      table: tableSchema,
      where: {
        type: 'array',
        items: {
          type: 'object',
          required: ['column', 'is', 'value'],
          properties: { column: { type: 'string' }, is: { enum: operators }, value: {} },
          additionalProperties: false,
        },
      },
      select: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Columns; all when absent.' },
      orderBy: {
        type: 'object',
        required: ['column'],
        properties: { column: { type: 'string' }, descending: { type: 'boolean', default: false } },
        additionalProperties: false,
      },
      limit: { type: 'integer', minimum: 1, maximum: 50_000, description: '100 when absent.' },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    required: ['rows', 'matched'],
    properties: {
      rows: { type: 'array', items: { type: 'object' } },
      matched: { type: 'integer', description: 'Number of matching rows, regardless of the limit.' },
    },
  },
  async execute(args, { signal }) {
    const query = queryOf(args);
    const rows: Row[] = [];
    let matched = 0;
    let isFirst = true;
    for await (const batch of readRows(tableOf(args['table']), signal)) {
      if (isFirst && batch[0] !== undefined) {
        requireColumns(query.columns, batch[0]);
        isFirst = false;
      }
      for (const row of batch) {
        if (!fits(row, query.where)) continue;
        matched++;
        if (query.orderBy !== undefined || rows.length < query.limit) rows.push(row);
      }
      keepFirst(rows, query);
    }
    return { rows: rows.map((row) => project(row, query.select)), matched };
  },
});

export default queryRows;

interface Query {
  readonly where: readonly Condition[];
  readonly select?: readonly string[];
  readonly orderBy?: { readonly column: string; readonly descending?: boolean };
  readonly limit: number;
  /** Every column that the query names. */
  readonly columns: readonly string[];
}

function queryOf(args: JsonObject): Query {
  // The input schema has judged all of this.
  const { where = [], limit = 100, select, orderBy } = args as unknown as Partial<Query>;
  const columns = [...where.map(({ column }) => column), ...(select ?? []), ...(orderBy ? [orderBy.column] : [])];
  return { where, limit, columns, ...(select ? { select } : {}), ...(orderBy ? { orderBy } : {}) };
}

// After each batch, so that an ordered query never holds more than its limit and one batch.
function keepFirst(rows: Row[], { orderBy, limit }: Query): void {
  if (orderBy === undefined) return;
  const { column, descending = false } = orderBy;
  const sign = descending ? -1 : 1;
  rows.sort((left, right) => sign * order(valueAt(left, column) ?? null, valueAt(right, column) ?? null));
  rows.length = Math.min(rows.length, limit);
}

function project(row: Row, select: readonly string[] | undefined): Row {
  if (select === undefined) return row;
  return Object.fromEntries(select.map((column) => [column, valueAt(row, column) ?? null]));
}
