import { KernelError } from '@ravi/kernel';
import type { NewRunInput, RunInput, RunInputLimit, RunInputStore } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { checkId } from './keys.ts';
import { numberIn, objectIn, readRow } from './rows.ts';
import { isLive, runs } from './run-rows.ts';
import { insertRow, selectRow } from './select.ts';
import type { Database, SqlRunner } from './database.ts';
import type { RowReader } from './rows.ts';

/** Table of the inputs of runs. */
export const inputsTable = 'ravi_run_inputs';

const maxPerList = 1_000;

const inputs: RowReader<RunInput> = {
  table: inputsTable,
  key: (row) => `${String(row['run_id'])} ${String(row['input_id'])}`,
  decode: (row) => ({
    ...objectIn<NewRunInput>(row, 'record', ['id', 'runId', 'text', 'createdAt']),
    number: numberIn(row, 'sequence'),
  }),
};

/** Creates a store of the inputs of runs in a table. An input is never added while its run ends, because both take the row of the run. */
export function createRunInputStore(database: Database): RunInputStore {
  return {
    add(input, limit) {
      const key = { run_id: input.runId, input_id: checkId(input.id, 'The id of an input') };
      const record = jsonText(input, 'An input');
      const liveRun = `SELECT id FROM ${runs.table} WHERE id = $1 AND ${isLive}${database.dialect.takeRows}`;
      return database.transaction(async (sql) => {
        const [run] = await sql.all(liveRun, [input.runId]);
        const known = await selectRow(sql, inputsTable, key);
        if (known !== undefined || run === undefined) return known && readRow(inputs, known);
        if (limit !== undefined) await checkLimit(sql, input.runId, limit);
        await insertRow(sql, inputsTable, { ...key, record });
        const row = await selectRow(sql, inputsTable, key);
        return row && readRow(inputs, row);
      });
    },
    async list(runId, after = 0) {
      const rows = await database.all(
        `SELECT * FROM ${inputsTable} WHERE run_id = $1 AND sequence > $2 ORDER BY sequence LIMIT ${maxPerList}`,
        [runId, after],
      );
      return rows.map((row) => readRow(inputs, row));
    },
  };
}

async function checkLimit(sql: SqlRunner, runId: string, { read, maxWaiting }: RunInputLimit): Promise<void> {
  const query = `SELECT input_id FROM ${inputsTable} WHERE run_id = $1 AND sequence > $2 LIMIT ${Number(maxWaiting)}`;
  if ((await sql.all(query, [runId, read])).length < maxWaiting) return;
  const message = `Run ${runId} has ${maxWaiting} inputs that it has not read, the limit of runs.maxWaitingInputs`;
  throw new KernelError('E_BUSY', message, { retryable: true, retryAfterMs: 1_000 });
}

/** True if the run has an input with a number above `after`. */
export async function hasInputAfter(sql: SqlRunner, runId: string, after: number): Promise<boolean> {
  const query = `SELECT input_id FROM ${inputsTable} WHERE run_id = $1 AND sequence > $2 LIMIT 1`;
  return (await sql.all(query, [runId, after])).length > 0;
}
