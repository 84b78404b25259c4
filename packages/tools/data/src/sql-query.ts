import { defineTool, textBlock } from '@ravi/kernel';
import type { JsonObject, Tool, ToolContext, ToolRisk } from '@ravi/kernel';
import type { Connections } from './sql/connections.ts';
import type { SqlAnswer } from './sql/sql-question.ts';

const defaultLimit = 100;
const maxLimit = 1_000;
/** Characters of the rows that a call returns. */
const shownChars = 40_000;
const summaryChars = 400;

/** Creates the tool `sql_query`. */
export function createSqlQuery(connections: Connections): Tool {
  const { names, canWrite, descriptions } = connections;
  return defineTool({
    name: 'sql_query',
    description: `Runs one SQL statement on a database: ${names.join(', ')}`,
    promptHint: 'sql_query reads databases; pass values as params.',
    documentation: () => documentationOf(descriptions, canWrite),
    risk: 'safe',
    // A statement that changes something is not made again after a crash.
    ...(canWrite ? {} : { idempotent: true }),
    concurrency: { keys: ({ connection, write }) => (write === true ? [`sql:${connection}`] : []) },
    inputSchema: {
      type: 'object',
      properties: {
        connection: { enum: [...names], description: 'Name of the database' },
        sql: { type: 'string', minLength: 1, maxLength: 50_000, pattern: '\\S', description: 'One statement' },
        params: {
          type: 'array',
          items: { type: ['string', 'number', 'boolean', 'null'] },
          maxItems: 1_000,
          default: [],
          description: 'Values of the parameters: ? in SQLite, $1 in PostgreSQL',
        },
        limit: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit, description: 'Rows to return' },
        ...(canWrite
          ? {
              write: { type: 'boolean', default: false, description: 'True for a statement that changes the database' },
            }
          : {}),
      },
      required: ['connection', 'sql'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        columns: { type: 'array', items: { type: 'string' } },
        rows: { type: 'array', items: { type: 'object' }, description: 'The first rows, by column' },
        rowCount: { type: 'integer', description: 'Number of all rows that were read' },
        isComplete: { type: 'boolean', description: 'False if the database has more rows than were read' },
        changed: { type: 'integer', description: 'Number of rows that were changed' },
        artifact: { type: 'string', description: 'All rows that were read, one JSON object on each line' },
      },
      required: ['columns', 'rows', 'rowCount', 'isComplete'],
    },
    classifyRisk(args) {
      const { connection, sql } = args;
      const isWrite = isWriting(args);
      const hidden = Math.max(0, sql.length - summaryChars);
      // At the front, where the statement cannot imitate it.
      const left = hidden === 0 ? '' : `[${hidden} characters of the statement are not shown] `;
      const shown = hidden === 0 ? sql : `${sql.slice(0, summaryChars).toWellFormed()}…`;
      return {
        risk: isWrite ? riskOf(sql) : 'safe',
        summary: `${left}${isWrite ? 'Change' : 'Read'} the database ${connection}: ${shown}`,
      };
    },
    async execute(args, context) {
      const { connection, sql, params = [], limit = defaultLimit } = args;
      const statement = { sql, params, isWrite: isWriting(args) };
      return shownRows(await connections.run(connection, statement, context), limit, context);
    },
  });
}

function isWriting(args: object): boolean {
  return (args as { readonly write?: unknown }).write === true;
}

/** Adding can be undone; any other change loses what was there. */
function riskOf(sql: string): ToolRisk {
  const adds =
    /^\s*(?:insert\s+into|create\s+(?:table|index|view))\b/i.test(sql) &&
    !/\bconflict\b|\breplace\b|\(\s*select\b|\bselect\b/i.test(sql);
  return adds ? 'high' : 'critical';
}

function documentationOf(descriptions: readonly string[], canWrite: boolean): string {
  const write = canWrite
    ? '\nA statement that changes something needs "write": true. Adding rows and tables is high risk, any other change critical.'
    : '';
  return `Databases:
${descriptions.join('\n')}
Each call runs one statement in a transaction of its own. Without "write" the database itself refuses every change.${write}
Pass values as "params", never as part of the SQL. At most "limit" rows are returned; all rows are stored as an artifact, one JSON object on each line.
Whole numbers beyond 2^53, decimals and times are text; bytes are { "base64": … }. Tables: SELECT name FROM sqlite_schema in SQLite,
information_schema.tables in PostgreSQL.`;
}

async function shownRows(
  { columns, lines, isComplete, changed }: SqlAnswer,
  limit: number,
  context: ToolContext,
): ReturnType<Tool['execute']> {
  let chars = 0;
  const first: string[] = [];
  for (const line of lines.slice(0, limit)) {
    chars += line.length;
    if (chars > shownChars) break;
    first.push(line);
  }
  const isAll = first.length === lines.length;
  const ref = isAll
    ? undefined
    : await context.storeArtifact(`${lines.join('\n')}\n`, 'application/x-ndjson', { name: 'rows.jsonl' });
  const notes = [
    ...(changed === undefined ? [] : [`${changed} rows changed.`]),
    ...(columns.length === 0 ? [] : [`${lines.length} rows${isComplete ? '' : ', and the database has more'}.`]),
    ...(ref === undefined ? [] : [`The first ${first.length} are shown; all that were read are artifact ${ref}.`]),
  ];
  return {
    content: [textBlock([...first, notes.join(' ')].join('\n'))],
    isError: false,
    structuredContent: {
      columns: [...columns],
      rows: first.map((line) => JSON.parse(line) as JsonObject),
      rowCount: lines.length,
      isComplete,
      ...(changed === undefined ? {} : { changed }),
      ...(ref === undefined ? {} : { artifact: ref }),
    },
  };
}
