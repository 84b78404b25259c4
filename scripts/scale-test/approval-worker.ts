import type { ApprovalRequest } from '../../packages/kernel/src/index.ts';
import { createPostgresStateStore } from '../../packages/state/postgres/src/index.ts';

// Started by `approvals.ts` with a URL, a schema, a principal, a kind of work and the seconds or the number of requests.
const [url, schema, principal = 'ada', work, amount] = process.argv.slice(2);
if (url === undefined || schema === undefined) throw new Error('This program is started by scale-test.ts');
const atOnce = 8;

await using store = await createPostgresStateStore({ url, schema });
const { approvals } = store;
let made = 0;

function requestOf(expiresAt: number): ApprovalRequest {
  const id = `${principal}-${process.pid}-${made++}`;
  return {
    id,
    runId: `run-${id}`,
    callId: 'call',
    sessionId: 'session',
    principal,
    tool: 'write',
    description: 'Writes a file.',
    args: { path: 'notes.md' },
    toolDigest: 'digest-of-tool',
    argsDigest: 'digest-of-arguments',
    risk: 'high',
    requestedAt: Date.now(),
    expiresAt,
  };
}

async function live(): Promise<void> {
  const request = requestOf(Date.now() + 600_000);
  await approvals.create(request);
  const decided = await approvals.decide(request.id, { decision: 'approved', decidedAt: Date.now(), approver: 'eve' });
  const consumed = await approvals.consume(request.id, request, { consumer: request.id, now: Date.now() });
  if (decided.status !== 'done' || consumed.status !== 'done') throw new Error(`${request.id} could not be used`);
}

async function inParallel(next: () => Promise<boolean>): Promise<void> {
  const one = async (): Promise<void> => {
    while (await next());
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/**
 * Asks, decides and consumes until the input ends. Prints how many requests went all the way from the first line of the input until
 * then; those before it warm the process up.
 */
async function measureRate(): Promise<void> {
  let done = 0;
  let isOver = false;
  process.stdin.once('data', () => (done = 0)).once('end', () => (isOver = true));
  await inParallel(async () => {
    await live();
    if (!isOver) done += 1;
    return !isOver;
  });
  console.log(JSON.stringify({ done }));
}

/** Makes requests that have expired. */
async function fill(count: number): Promise<void> {
  let left = count;
  await inParallel(async () => {
    if (left-- <= 0) return false;
    await approvals.create(requestOf(1));
    return true;
  });
  console.log(JSON.stringify({ done: count }));
}

/** Asks one question after the other until the input ends. Prints when each was asked and how long that took, in milliseconds. */
async function ask(): Promise<void> {
  let isOver = false;
  process.stdin.resume().once('end', () => (isOver = true));
  const asked: { readonly at: number; readonly tookMs: number }[] = [];
  while (!isOver) {
    const at = Date.now();
    const startedAt = performance.now();
    await approvals.create(requestOf(at + 600_000));
    asked.push({ at, tookMs: performance.now() - startedAt });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  console.log(JSON.stringify({ asked }));
}

async function expire(): Promise<void> {
  const { items } = await approvals.expire(Date.now());
  console.log(JSON.stringify({ done: items.length }));
}

if (work === 'rate') await measureRate();
else if (work === 'fill') await fill(Number(amount));
else if (work === 'ask') await ask();
else if (work === 'expire') await expire();
else throw new Error(`Unknown work: ${work}`);
