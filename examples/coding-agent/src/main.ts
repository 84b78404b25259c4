import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@ravi/client';
import { createServerLog, openMonolith, parsePort, serve, untilShutdown } from '@ravi/monolith';
import { commitsOf, createRepository } from './create-repository.ts';
import { followRun } from './follow-run.ts';
import type { Watch } from './follow-run.ts';

const tasks = {
  steps:
    'A test of the repository fails. Find the mistake, repair it, and commit it after a review. ' +
    'Check the tests again in 2 seconds, and then every day.',
  script:
    'A test of the repository fails. Find the mistake, repair it, and commit it after a review. Do it in one script.',
};

const options = { port: { type: 'string' }, folder: { type: 'string' }, script: { type: 'boolean' } } as const;
const { values } = parseArgs({ options });
const folder = values.folder === undefined ? await mkdtemp(join(tmpdir(), 'coding-agent-')) : resolve(values.folder);
const repository = join(folder, 'repository');
await createRepository(repository);
process.env['CODING_AGENT_REPOSITORY'] = repository;

const shutdown = untilShutdown();
await using monolith = await openMonolith({
  configPath: join(import.meta.dirname, '../ravi.config.ts'),
  cwd: process.cwd(),
  env: { ...process.env, RAVI_DATA: join(folder, 'data') },
  logger: createServerLog,
  isServer: true,
});
await using server = await serve(monolith, { port: parsePort(values.port) });

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const leaving = new AbortController();
void shutdown.then(() => leaving.abort());
const client = createClient({ baseUrl: server.url });
print(`listening on ${server.url}`);
print(`The repository is ${repository}`);
print(`Continue later with: --folder ${folder}`);
if (server.hasConsole) print(`Decide at ${server.url}/inbox`);
print(`Decide with: npm run ravi -- approvals approve --server ${server.url} <id>`);

await Promise.race([shutdown, repair(values.script === true ? 'script' : 'steps')]);
await shutdown;

async function repair(way: keyof typeof tasks): Promise<void> {
  const watch = { client, print, signal: leaving.signal };
  print(`\nYou: ${tasks[way]}`);
  // With this key a program that is started again follows the run that it has begun.
  const started = { kind: 'agent', task: tasks[way] } as const;
  const { id } = await client.runs.start(started, { headers: { 'idempotency-key': `repair-${way}` } });
  await followRun(watch, id);
  for (const line of await commitsOf(repository)) print(`  commit ${line}`);
  await followTimers(watch, id);
  print(`\nThe server stays open; Ctrl+C closes it.`);
}

/** Follows the first run of each timer that a run has set. */
async function followTimers(watch: Watch, createdByRun: string): Promise<void> {
  for await (const trigger of client.triggers.list({ status: 'active' })) {
    if (trigger.createdByRun !== createdByRun) continue;
    print(`\nThe timer waits: ${trigger.input}`);
    await followRun(watch, await firstRunOf(trigger.id));
  }
}

async function firstRunOf(triggerId: string): Promise<string> {
  for (;;) {
    const { firings } = await client.triggers.get(triggerId);
    const first = firings.findLast(({ status }) => status === 'started');
    if (first !== undefined) return first.runId;
    await pause(200, undefined, { signal: leaving.signal });
  }
}
