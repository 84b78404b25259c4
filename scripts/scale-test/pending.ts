import { setTimeout as pause } from 'node:timers/promises';
import { sha256 } from '../../apps/monolith/test/support/callers.ts';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { startDatabase } from './database.ts';
import { all, figuresOfTimes, none, sameStatements } from './figures.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { costOf } from './idle.ts';
import type { IdleCost } from './idle.ts';
import { copyParkedRun } from './parked-runs.ts';
import { createScaleServers, endedStatuses } from './servers.ts';

/** Kinds of requests whose times are measured. */
const kinds = {
  own: "list of one principal's pending requests",
  ownAll: "list of one principal's requests, decided ones too",
  every: 'list of all pending requests, by an approver',
  everyAll: 'list of all requests, decided ones too, by an approver',
  ofRun: 'list of the pending requests of a run, by an approver',
  ask: 'script until its request is stored',
  decide: 'decision',
  run: 'read of a paused run',
} as const;
type Kind = keyof typeof kinds;
type Times = Readonly<Record<Kind, number[]>>;

/** Costs of a server next to a number of pending requests. */
interface Level {
  readonly pending: number;
  readonly cost: IdleCost;
  readonly times: Times;
  /** Decided requests whose runs did not complete. */
  readonly left: number;
}

const asker = 'asker-';
const askers = 10;
const manyPrincipals = 1_000;
const approver = 'approver';
const rowsOfList = 20;
const giveUpMs = 60_000;

/** Asks for approval. */
const script = { code: `return await tools.launch({ target: 'moon' })` };

const tokenOf = (principal: string): string => principal.padEnd(32, 'x');
const names = Array.from({ length: askers }, (_, index) => `${asker}${index}`);
const config: RaviConfig = {
  approvals: { mode: 'pause', maxPausedRuns: 1_000_000 },
  server: {
    requestsPerMinute: 1_000_000,
    tokens: [
      ...names.map((principal) => ({ principal, tokenSha256: sha256(tokenOf(principal)), roles: ['run' as const] })),
      { principal: approver, tokenSha256: sha256(tokenOf(approver)), roles: ['approve'] },
    ],
  },
};

/** Body of a response, as far as it is looked at. */
interface Answer {
  readonly runId: string;
  readonly status: string;
  readonly items: readonly { readonly id: string }[];
}

/** Sends a request as a principal, a POST if it has a body. @throws Error with the response if it is refused */
async function send(url: string, principal: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${url}/v1/${path}`, {
    headers: { authorization: `Bearer ${tokenOf(principal)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

/**
 * Measures a server next to few and to many requests for approval that are pending: its start, its statements when it has nothing to
 * do, lists of requests, and the times to ask and to decide.
 */
export async function measurePending(options: ScaleOptions): Promise<readonly ScaleResult[]> {
  const { pendingApprovals, fewPendingApprovals, engine } = options;
  await using database = await startDatabase();
  await using servers = await createScaleServers(database.url, engine, {});
  const first = await servers.start(config);
  const { runId: template } = await send(first.url, `${asker}0`, 'chains', script);
  await first.end('SIGTERM');

  async function levelOf(): Promise<Level> {
    const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []])) as unknown as Times;
    let left = 0;
    const work = async (url: string): Promise<void> => void (left = await measureRequests(url, options.asks, times));
    const cost = await costOf(servers, database, { ...options, servers: 1 }, { config, work });
    return { pending: await countPending(), cost, times, left };
  }
  const countPending = async (): Promise<number> => {
    const [row] = await database.all(`SELECT count(*)::int AS pending FROM ravi_approvals WHERE status = 'pending'`);
    return Number(row?.['pending']);
  };

  await copyParkedRun(database, template, 2, fewPendingApprovals, { name: asker, count: askers });
  const few = await levelOf();
  await copyParkedRun(database, template, fewPendingApprovals + 1, pendingApprovals, {
    name: asker,
    count: manyPrincipals,
  });
  const many = await levelOf();
  return [
    ...resultsOf(few, fewPendingApprovals),
    ...resultsOf(many, pendingApprovals),
    sameStatements(
      'more statements next to many than to few, %',
      few.cost.statementsPerSecond,
      many.cost.statementsPerSecond,
    ),
  ];
}

function resultsOf({ pending, cost, times, left }: Level, wanted: number): readonly ScaleResult[] {
  const next = `, ${wanted} pending`;
  return [
    all('pending requests', pending, wanted),
    { name: `server ready${next}, ms`, value: cost.readyMs },
    { name: `its processor time until then${next}, ms`, value: cost.readyProcessorMs },
    { name: `time until it has nothing to do${next}, s`, value: cost.settledSeconds },
    { name: `statements per second of an idle server${next}`, value: cost.statementsPerSecond },
    ...Object.entries(kinds).flatMap(([kind, name]) => figuresOfTimes(`${name}${next}`, times[kind as Kind])),
    none(`decided requests whose run did not complete${next}`, left),
  ];
}

/** Measures each kind of request. Returns how many runs did not complete after their request was approved. */
async function measureRequests(url: string, asks: number, times: Times): Promise<number> {
  async function timed(kind: Kind, path: string, principal: string = approver, body?: object): Promise<Answer> {
    const begun = performance.now();
    const answer = await send(url, principal, path, body);
    times[kind].push(performance.now() - begun);
    return answer;
  }

  let left = 0;
  for (let number = 0; number < asks; number++) {
    const principal = names[number % askers] ?? '';
    const { runId } = await timed('ask', 'chains', principal, script);
    await timed('run', `runs/${runId}`, principal);
    await timed('own', `approvals?status=pending&limit=${rowsOfList}`, principal);
    await timed('ownAll', `approvals?limit=${rowsOfList}`, principal);
    await timed('every', `approvals?status=pending&limit=${rowsOfList}`);
    await timed('everyAll', `approvals?limit=${rowsOfList}`);
    const { items } = await timed('ofRun', `approvals?status=pending&runId=${runId}`);
    await timed('decide', `approvals/${items[0]?.id}/decision`, approver, { decision: 'approved' });
    if (!(await completes(url, principal, runId))) left += 1;
  }
  return left;
}

async function completes(url: string, principal: string, runId: string): Promise<boolean> {
  const giveUpAt = Date.now() + giveUpMs;
  for (;;) {
    const { status } = await send(url, principal, `runs/${runId}`);
    if (endedStatuses.includes(status) || Date.now() > giveUpAt) return status === 'completed';
    await pause(10);
  }
}
