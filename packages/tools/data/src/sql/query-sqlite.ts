import { constants, DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { WorkError } from '@ravi/tools-kit/bounded';
import { collectRows } from './collect-rows.ts';
import type { SqlAnswer, SqlQuestion } from './sql-question.ts';

const { SQLITE_OK, SQLITE_DENY } = constants;
const reading: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);
/** Actions that no statement may take: reach another file, load a program, or change how the database is opened. */
const never: ReadonlySet<number> = new Set([
  constants.SQLITE_ATTACH,
  constants.SQLITE_DETACH,
  constants.SQLITE_PRAGMA,
  constants.SQLITE_TRANSACTION,
  constants.SQLITE_SAVEPOINT,
]);
/** Bytes of one value. */
const maxValueBytes = 32 * 1024 * 1024;
/** Pragmas that only describe the schema. `database_list` is not among them: it names the path of the file. */
const pragmas: ReadonlySet<string> = new Set([
  'foreign_key_list',
  'index_info',
  'index_list',
  'index_xinfo',
  'table_info',
  'table_list',
  'table_xinfo',
]);

/**
 * Runs one statement on a SQLite file. SQLite itself refuses changes: the file is open for reading, `query_only` is set, and an authorizer allows
 * only what reads.
 * @throws WorkError `E_SQL_UNAVAILABLE`, `E_SQL_REFUSED`, `E_SQL_FAILED`
 */
export function querySqlite(path: string, question: SqlQuestion): SqlAnswer {
  const { isWrite, memoryMb } = question;
  using database = open(path, isWrite);
  // Half of the memory: the rows need some too.
  database.exec(`PRAGMA temp_store = MEMORY; PRAGMA hard_heap_limit = ${Math.floor(memoryMb / 2) * 1024 * 1024}`);
  if (!isWrite) database.exec('PRAGMA query_only = ON');
  database.setAuthorizer((action, first, second) => {
    if (action === constants.SQLITE_PRAGMA && pragmas.has(String(first).toLowerCase())) return SQLITE_OK;
    if (action === constants.SQLITE_FUNCTION && String(second).toLowerCase() === 'load_extension') return SQLITE_DENY;
    if (reading.has(action)) return SQLITE_OK;
    return isWrite && !never.has(action) ? SQLITE_OK : SQLITE_DENY;
  });
  try {
    return run(database, question);
  } catch (error) {
    if (error instanceof WorkError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (/not authorized|authorization denied|readonly database|prohibited/.test(message))
      throw new WorkError('E_SQL_REFUSED', refusal(isWrite, message));
    throw new WorkError('E_SQL_FAILED', `SQLite: ${message}`);
  }
}

function open(path: string, isWrite: boolean): DatabaseSync {
  try {
    const database = new DatabaseSync(path, {
      readOnly: !isWrite,
      allowExtension: false,
      timeout: 5_000,
      enableDoubleQuotedStringLiterals: false,
      defensive: true,
      limits: { length: maxValueBytes, attach: 0 },
    });
    // An empty or another file is noticed when it is read first.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    const code = (error as { readonly errstr?: unknown }).errstr;
    throw new WorkError(
      'E_SQL_UNAVAILABLE',
      `The file of the connection cannot be opened${typeof code === 'string' ? `: ${code}` : ''}`,
    );
  }
}

function run(database: DatabaseSync, question: SqlQuestion): SqlAnswer {
  const { sql, isWrite } = question;
  const params = question.params.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const statement = database.prepare(sql);
  checkSingle(statement, sql);
  statement.setReadBigInts(true);
  const names = statement.columns().map(({ name }) => name);
  if (names.length === 0) {
    const { changes } = statement.run(...params);
    return { columns: [], lines: [], isComplete: true, changed: Number(changes) };
  }
  statement.setReturnArrays(true);
  const rows = collectRows(names, question);
  let isComplete = true;
  // All rows of a statement that changes are read, so that it runs to its end.
  for (const row of statement.iterate(...params)) {
    isComplete = rows.add(row as unknown as readonly unknown[]) && isComplete;
    if (!isComplete && !isWrite) break;
  }
  return { columns: rows.columns, lines: rows.lines, isComplete };
}

/** SQLite would prepare the first statement and ignore the others. */
function checkSingle(statement: StatementSync, sql: string): void {
  const rest = sql.slice(statement.sourceSQL.length).replaceAll(/--[^\n]*|\/\*[^]*?\*\/|[\s;]/g, '');
  if (rest !== '') throw new WorkError('E_SQL_REFUSED', 'Only one statement is run at a time');
}

function refusal(isWrite: boolean, message: string): string {
  return isWrite
    ? `SQLite refused the statement: ${message}`
    : `The connection only reads, and SQLite refused the statement: ${message}`;
}
