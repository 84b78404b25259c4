import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { createColumnProfile } from '../src/rows/column-profile.ts';
import type { ColumnProfile } from '../src/rows/column-profile.ts';
import { readRows } from '../src/rows/read-rows.ts';
import { columnsOf, valueAt } from '../src/rows/row.ts';
import { tableOf, tableSchema } from '../src/rows/row-reader.ts';

const profileTable: Tool = defineTool({
  name: 'profile_table',
  description: 'What the columns of a table hold: missing values, ranges and means of numbers, frequent texts.',
  risk: 'safe',
  artifacts: 'stream',
  inputSchema: {
    type: 'object',
    required: ['table'],
    properties: { table: tableSchema },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    required: ['rows', 'columns'],
    properties: {
      rows: { type: 'integer' },
      columns: { type: 'object', additionalProperties: { type: 'object' }, description: 'By column name.' },
    },
  },
  async execute(args, { signal }) {
    const profiles = new Map<string, ColumnProfile>();
    let rows = 0;
    for await (const batch of readRows(tableOf(args['table']), signal)) {
      if (rows === 0 && batch[0] !== undefined) {
        for (const column of columnsOf(batch[0])) profiles.set(column, createColumnProfile());
      }
      rows += batch.length;
      for (const [column, profile] of profiles) {
        for (const row of batch) profile.add(valueAt(row, column));
      }
    }
    return { rows, columns: Object.fromEntries([...profiles].map(([name, profile]) => [name, profile.summary()])) };
  },
});

export default profileTable;
