import { KernelError, isKernelError, toolNamePattern } from '@ravi/kernel';
import { problemWithSnippet } from '@ravi/support';
import type { Snippet, SnippetStore } from '@ravi/kernel';
import { jsonText } from './json-text.ts';
import { principalKey } from './keys.ts';
import { numberIn, objectIn, readRow, textIn } from './rows.ts';
import { insertRow, selectRow } from './select.ts';
import type { Database } from './database.ts';
import type { RowReader } from './rows.ts';

const snippets: RowReader<Snippet> = {
  table: 'ravi_snippets',
  key: (row) => `${String(row['name'])} ${String(row['version'])}`,
  decode(row) {
    const snippet = objectIn<Snippet>(row, 'record', []);
    const problem = problemWithSnippet(snippet);
    if (problem !== undefined) throw new TypeError(problem);
    return { ...snippet, version: numberIn(row, 'version') };
  },
};

const codes: Readonly<Record<string, string>> = {
  E_STATE_UNAVAILABLE: 'E_SNIPPET_UNAVAILABLE',
  E_STATE_CORRUPT: 'E_SNIPPET_CORRUPT',
  E_STATE_INVALID: 'E_SNIPPET_INVALID',
};

/** Creates a store of snippets in a table. */
export function createSnippetStore(database: Database): SnippetStore {
  return {
    list: (principal) =>
      translated(async () => {
        const rows = await database.all(
          `SELECT name, max(version) AS version FROM ${snippets.table} WHERE principal_key = $1 GROUP BY name ORDER BY name`,
          [principalKey(principal)],
        );
        return rows.map((row) => ({ name: textIn(row, 'name'), version: numberIn(row, 'version') }));
      }),
    get: (principal, name, version) =>
      translated(async () => {
        if (!toolNamePattern.test(name)) return undefined;
        const principal_key = principalKey(principal);
        const wanted = version ?? (await newestVersion(database, principal_key, name));
        if (!Number.isSafeInteger(wanted)) return undefined;
        const row = await selectRow(database, snippets.table, { principal_key, name, version: wanted });
        return row && readRow(snippets, row);
      }),
    versions: (principal, name) =>
      translated(async () => {
        if (!toolNamePattern.test(name)) return [];
        const rows = await database.all(
          `SELECT version FROM ${snippets.table} WHERE principal_key = $1 AND name = $2 ORDER BY version`,
          [principalKey(principal), name],
        );
        return rows.map((row) => numberIn(row, 'version'));
      }),
    put: (draft) =>
      translated(async () => {
        const problem = problemWithSnippet(draft);
        if (problem !== undefined) throw new KernelError('E_SNIPPET_INVALID', `A snippet cannot be saved: ${problem}`);
        const { name } = draft;
        const record = jsonText(draft, 'A snippet');
        const principal_key = principalKey(draft.principal);
        const version = await database.transaction(
          async (sql) => {
            const next = (await newestVersion(sql, principal_key, name)) + 1;
            await insertRow(sql, snippets.table, { principal_key, name, version: next, record });
            return next;
          },
          { lock: `snippet ${principal_key} ${name}` },
        );
        return { ...(JSON.parse(record) as Omit<Snippet, 'version'>), version };
      }),
    delete: (principal, name) =>
      translated(async () => {
        if (!toolNamePattern.test(name)) return false;
        const removed = await database.all(
          `DELETE FROM ${snippets.table} WHERE principal_key = $1 AND name = $2 RETURNING version`,
          [principalKey(principal), name],
        );
        return removed.length > 0;
      }),
  };
}

async function newestVersion(sql: Pick<Database, 'all'>, principalKeyOfOwner: string, name: string): Promise<number> {
  const [row] = await sql.all(
    `SELECT coalesce(max(version), 0) AS version FROM ${snippets.table} WHERE principal_key = $1 AND name = $2`,
    [principalKeyOfOwner, name],
  );
  return numberIn(row ?? {}, 'version');
}

// The snippet port has its own codes, because snippets may be stored outside a state store.
async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = isKernelError(error) ? codes[error.code] : undefined;
    if (code === undefined || !isKernelError(error)) throw error;
    throw new KernelError(code, error.message, { cause: error, retryable: error.retryable });
  }
}
