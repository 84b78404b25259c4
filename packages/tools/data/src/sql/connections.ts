import { dirname, resolve } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { Clock, ToolContext } from '@ravi/kernel';
import { runBounded } from '@ravi/tools-kit';
import type { SqlAnswer, SqlDatabase, SqlParameter, SqlQuestion } from './sql-question.ts';

/** A database of the configuration. */
export interface ConnectionOptions {
  /** File of a SQLite database, relative to the configuration. */
  readonly sqlite?: string;
  /** Address of a PostgreSQL database: `postgres://…`. */
  readonly postgres?: string;
  /** True to allow statements that change the database. Default `false`. */
  readonly write?: boolean;
  /** Content of the database, for the model. */
  readonly description?: string;
  /** Milliseconds of one statement. Default 30 000. */
  readonly timeoutMs?: number;
  /** Rows that one statement returns. Default 100 000. */
  readonly maxRows?: number;
}

/** A statement of a caller. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlParameter[];
  readonly isWrite: boolean;
}

/** Databases by name. */
export interface Connections {
  readonly names: readonly string[];
  readonly canWrite: boolean;
  /** Lines about each database, for the documentation. */
  readonly descriptions: readonly string[];
  /**
   * @throws KernelError `E_SQL_REFUSED`, `E_SQL_FAILED`, `E_SQL_UNAVAILABLE`, `E_WORK_BUSY`, `E_WORK_TIMEOUT`, `E_WORK_MEMORY`, `E_CANCELLED`
   */
  run(name: string, statement: Statement, call: Pick<ToolContext, 'signal' | 'principal'>): Promise<SqlAnswer>;
}

const memoryMb = 384;
const maxBytes = 64 * 1024 * 1024;
/** Milliseconds in which the process connects. */
const connectMs = 15_000;

interface Connection extends ConnectionOptions {
  readonly database: SqlDatabase;
}

/** @throws KernelError `E_CONFIG_INVALID` for a connection that is neither or both */
export function openConnections(
  options: Readonly<Record<string, ConnectionOptions>>,
  { baseDir, clock }: { readonly baseDir: string; readonly clock: Clock },
): Connections {
  const connections = new Map<string, Connection>(
    Object.entries(options).map(([name, connection]) => [
      name,
      { ...connection, database: readDatabase(name, connection, baseDir) },
    ]),
  );
  return {
    names: [...connections.keys()],
    canWrite: [...connections.values()].some(({ write }) => write === true),
    descriptions: [...connections].map(
      ([name, { database, write, description }]) =>
        `${name}: ${database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${write === true ? 'with changes if "write" is true' : 'for reading'}${description === undefined ? '' : `. ${description}`}`,
    ),
    async run(name, statement, { signal, principal }) {
      const connection = connections.get(name);
      if (connection === undefined) throw new KernelError('E_ARGUMENTS_INVALID', `There is no connection ${name}`);
      const { database, write: canWrite = false, timeoutMs = 30_000, maxRows = 100_000 } = connection;
      if (statement.isWrite && !canWrite) {
        throw new KernelError(
          'E_SQL_REFUSED',
          `The connection ${name} only reads. The operator can allow changes with "write"`,
        );
      }
      const question: SqlQuestion = { database, ...statement, maxRows, maxBytes, timeoutMs, memoryMb };
      const isFileWritten = statement.isWrite && database.kind === 'sqlite';
      return runBounded<SqlQuestion, SqlAnswer>(
        {
          name: 'sql-helper',
          from: import.meta.url,
          what: `The statement on ${name}`,
          memoryMb,
          // PostgreSQL ends a statement on its own, with a better message; SQLite does not.
          timeoutMs: timeoutMs + (database.kind === 'sqlite' ? 0 : connectMs),
          clock,
          signal,
          principal,
          ...(isFileWritten ? { writes: dirname(database.path) } : {}),
        },
        question,
      );
    },
  };
}

function readDatabase(name: string, { sqlite, postgres }: ConnectionOptions, baseDir: string): SqlDatabase {
  if (sqlite !== undefined && postgres === undefined) return { kind: 'sqlite', path: resolve(baseDir, sqlite) };
  if (postgres !== undefined && sqlite === undefined) {
    if (/^postgres(?:ql)?:\/\//.test(postgres)) return { kind: 'postgres', url: postgres };
    throw new KernelError('E_CONFIG_INVALID', `connections.${name}.postgres does not begin with postgres://`);
  }
  throw new KernelError('E_CONFIG_INVALID', `connections.${name} needs one of "sqlite" and "postgres"`);
}
