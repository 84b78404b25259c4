import type {
  BudgetAccount,
  BudgetAmounts,
  BudgetClaim,
  BudgetRefusal,
  BudgetRequest,
  BudgetScope,
  BudgetStore,
  BudgetUsage,
} from '@ravi/kernel';
import { conflict, invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { choiceIn, readRow, textIn } from './rows.ts';
import { addRows } from './select.ts';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';
import type { RowReader } from './rows.ts';

const table = 'ravi_budgets';
const reservations = 'ravi_budget_reservations';
const scopes: readonly BudgetScope[] = ['agent', 'principal', 'server'];
const maxClaims = 16;
const amountNames = ['tokens', 'cost', 'toolCalls', 'timeMs'] as const satisfies readonly (keyof BudgetAmounts)[];
const amountColumns = ['tokens', 'cost', 'tool_calls', 'time_ms'] as const;
const sums = amountColumns.map((column) => `sum(${column}) AS ${column}`).join(', ');
const keyColumns = ['scope', 'account_key', 'period'];
const none: BudgetAmounts = { tokens: 0, cost: 0, toolCalls: 0, timeMs: 0 };
// An fsync for each request to a model would cost more than the last amounts before a power failure are worth.
const process = { durability: 'process' } as const;

/** Sums of the amounts of an account. */
interface Line extends BudgetAccount {
  readonly key: string;
  readonly amounts: BudgetAmounts;
}

const lines: RowReader<Line> = {
  table,
  key: (row) => `${String(row['scope'])} ${String(row['account_key'])}`,
  decode: (row) => ({
    scope: choiceIn(row, 'scope', scopes),
    key: textIn(row, 'account_key'),
    name: 'name' in row ? (JSON.parse(textIn(row, 'name')) as string) : '',
    amounts: {
      tokens: amountIn(row, 'tokens'),
      cost: amountIn(row, 'cost'),
      toolCalls: amountIn(row, 'tool_calls'),
      timeMs: amountIn(row, 'time_ms'),
    },
  }),
};

/**
 * Creates a store of budgets in two tables. A transaction first writes the rows of its accounts, in a fixed order: that locks them,
 * so that transactions on the same account run one at a time. The reservations are read after that.
 */
export function createBudgetStore(database: Database): BudgetStore {
  return {
    async reserve(reservation) {
      const id = checkId(reservation.id, 'The id of a reservation');
      return database.transaction(async (sql) => {
        const refusal = await refusalOf(sql, reservation);
        if (refusal !== undefined) return refusal;
        const { claims, period, amounts, expiresAt } = reservation;
        const known = await sql.all(`SELECT 1 AS known FROM ${reservations} WHERE id = $1 LIMIT 1`, [id]);
        if (known.length > 0) throw conflict(`The reservation ${id} exists already`);
        const columns = ['id', ...keyColumns, ...amountColumns, 'expires_at'];
        const values = valuesOf(amounts);
        await addRows(
          sql,
          reservations,
          columns,
          claims.map(({ scope, name }) => [id, scope, principalKey(name), period, ...values, expiresAt]),
        );
        return undefined;
      }, process);
    },

    spend: (request) =>
      database.transaction(async (sql) => {
        const refusal = await refusalOf(sql, request);
        if (refusal === undefined) await add(sql, request.claims, request.period, request.amounts);
        return refusal;
      }, process),

    async settle(id, used) {
      const values = valuesOf(used);
      return database.transaction(async (sql) => {
        const removed = await sql.all(
          `DELETE FROM ${reservations} WHERE id = $1 RETURNING scope, account_key, period`,
          [id],
        );
        const rows = removed.map((row) => [textIn(row, 'scope'), textIn(row, 'account_key')] as const);
        const [first] = removed;
        if (first === undefined) return false;
        const period = amountIn(first, 'period');
        await upsert(
          sql,
          rows.map(([scope, key]) => [scope, key, period, '""', ...values]),
        );
        return true;
      }, process);
    },

    async usage(period, { now, accounts }) {
      if (accounts?.length === 0) return [];
      const wanted: SqlValue[] = [period];
      const only = accounts === undefined ? '' : ` AND (${anyOf(accounts, wanted)})`;
      const used = await database.all(`SELECT * FROM ${table} WHERE period = $1${only}`, wanted);
      const reserved = await reservedIn(database, period, now, accounts);
      return used
        .map((row) => readRow(lines, row))
        .map(({ key, scope, name, amounts }): BudgetUsage => {
          const open = reserved.find((line) => line.scope === scope && line.key === key);
          return { scope, name, used: amounts, reserved: open?.amounts ?? none };
        })
        .filter(({ used: ofUsed, reserved: ofReserved }) =>
          amountNames.some((amount) => ofUsed[amount] !== 0 || ofReserved[amount] !== 0),
        )
        .sort((left, right) => compare(left.scope, right.scope) || compare(left.name, right.name));
    },

    async removeOld(before) {
      await database.all(`DELETE FROM ${reservations} WHERE expires_at < $1`, [before]);
      return (await database.all(`DELETE FROM ${table} WHERE period < $1 RETURNING scope`, [before])).length;
    },
  };
}

/** Locks the accounts of a request and compares them with its limits. */
async function refusalOf(
  sql: SqlRunner,
  { claims, period, amounts, now }: BudgetRequest,
): Promise<BudgetRefusal | undefined> {
  checkClaims(claims);
  valuesOf(amounts);
  const used = await add(sql, claims, period, none);
  const isLimited = claims.some(({ limits }) => amountNames.some((amount) => limits[amount] !== undefined));
  const reserved = isLimited ? await reservedIn(sql, period, now, claims) : [];
  for (const { scope, name, limits } of claims) {
    const key = principalKey(name);
    const isOwn = (line: Line): boolean => line.scope === scope && line.key === key;
    const ofUsed = used.find(isOwn)?.amounts ?? none;
    const ofReserved = reserved.find(isOwn)?.amounts ?? none;
    for (const amount of amountNames) {
      const { [amount]: limit } = limits;
      const { [amount]: requested } = amounts;
      if (limit === undefined || requested === undefined) continue;
      const taken = ofUsed[amount] + ofReserved[amount];
      const isRefused = requested === 0 ? taken >= limit : taken + requested > limit;
      if (!isRefused) continue;
      return { scope, name, amount, limit, used: ofUsed[amount], reserved: ofReserved[amount], requested };
    }
  }
  return undefined;
}

/** Adds used amounts to accounts and returns their sums; their rows are locked until the transaction ends. */
async function add(
  sql: SqlRunner,
  claims: readonly BudgetAccount[],
  period: number,
  amounts: Partial<BudgetAmounts>,
): Promise<readonly Line[]> {
  const values = valuesOf(amounts);
  const rows = claims.map(({ scope, name }) => [
    scope,
    principalKey(name),
    period,
    jsonText(name, 'The name of an account').replaceAll(/\p{Cc}/gu, escaped),
    ...values,
  ]);
  return (await upsert(sql, rows)).map((row) => readRow(lines, row));
}

function upsert(sql: SqlRunner, rows: readonly (readonly SqlValue[])[]): Promise<readonly SqlRow[]> {
  // All transactions lock accounts in the same order.
  const ordered = rows.toSorted((left, right) => compare(`${left[0]} ${left[1]}`, `${right[0]} ${right[1]}`));
  let parameter = 0;
  const places = ordered.map((row) => `(${row.map(() => `$${++parameter}`).join(', ')})`).join(', ');
  const columns = [...keyColumns, 'name', ...amountColumns].join(', ');
  const sum = amountColumns.map((column) => `${column} = ${table}.${column} + EXCLUDED.${column}`).join(', ');
  return sql.all(
    `INSERT INTO ${table} (${columns}) VALUES ${places}
     ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET ${sum} RETURNING *`,
    ordered.flat(),
  );
}

async function reservedIn(
  sql: SqlRunner,
  period: number,
  now: number,
  accounts: readonly BudgetAccount[] | undefined,
): Promise<readonly Line[]> {
  const values: SqlValue[] = [period, now];
  const only = accounts === undefined ? '' : ` AND (${anyOf(accounts, values)})`;
  const rows = await sql.all(
    `SELECT scope, account_key, ${sums} FROM ${reservations} WHERE period = $1 AND expires_at > $2${only}
     GROUP BY scope, account_key`,
    values,
  );
  return rows.map((row) => readRow(lines, row));
}

function anyOf(accounts: readonly BudgetAccount[], values: SqlValue[]): string {
  return accounts
    .map(({ scope, name }) => {
      const first = values.push(scope, principalKey(name)) - 1;
      return `(scope = $${first} AND account_key = $${first + 1})`;
    })
    .join(' OR ');
}

function checkClaims(claims: readonly BudgetClaim[]): void {
  const accounts = new Set(claims.map(({ scope, name }) => `${scope} ${name}`));
  if (claims.length === 0 || claims.length > maxClaims || accounts.size < claims.length) {
    throw invalid(`A budget request must name 1 to ${maxClaims} accounts, each once`);
  }
}

/** Returns the values of the columns. @throws KernelError `E_STATE_INVALID` for amounts that no sum may contain */
function valuesOf(amounts: Partial<BudgetAmounts>): readonly number[] {
  const values = amountNames.map((amount) => amounts[amount] ?? 0);
  if (values.every((value) => value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return values;
  throw invalid('The amounts of a budget must be finite and not negative');
}

function amountIn(row: SqlRow, column: string): number {
  const value = row[column];
  if (!Number.isFinite(value)) throw new TypeError(`${column} is not a number`);
  return value as number;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
