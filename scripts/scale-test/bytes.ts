import { setTimeout as pause } from 'node:timers/promises';
import { createInstallation } from '../../apps/monolith/test/support/installation.ts';
import { startProcess } from '../../apps/monolith/test/support/server-process.ts';
import { startPostgres } from '../../packages/state/testing/src/index.ts';
import { startLoopbackServer } from '../../packages/testkit/src/index.ts';
import type { LoopbackRequest } from '../../packages/testkit/src/index.ts';
import { connectToPostgres } from '../lib/postgres.ts';
import type { ScaleResult, ScaleSizes } from './figures.ts';

/** An early and a late step of a run. */
type Steps = readonly [early: number, late: number];

/** Steps before and after the one that is measured: single steps differ by the pages that they happen to begin. */
const around = 5;
const maxBytesPerStep = 10_000;
const maxGrowth = 1.1;
const quietMs = 100;

/** A tool whose result is as long as a page of a file. */
const lookTool = `
export default {
  name: 'look', description: 'Looks up a record.', risk: 'safe',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' }, reason: { type: 'string' } }, required: ['id'] },
  async execute({ id }) {
    const line = (n) => 'Line ' + n + ' of record ' + id + ' says ' + (id * 7919 + n * 104729).toString(36) + '. ';
    return { content: [{ type: 'text', text: Array.from({ length: 40 }, (_, n) => line(n)).join('') }], isError: false };
  },
};`;

/** Plugin that shows the model short copies of all messages but the last three, as views that save tokens do. */
const view = `
const cut = (block) => block.type === 'tool_result' ? { ...block, content: [{ type: 'text', text: block.content[0].text.slice(0, 80) }] } : block;
const copy = (message) => ({ ...message, content: message.content.map(cut) });
const view = (messages) => messages.map((message, index) => (index < messages.length - 3 ? copy(message) : message));
export default { name: 'short', port: 'historyView', configSchema: { type: 'object' }, create: () => ({ view }) };`;

/**
 * Measures how much PostgreSQL writes ahead in a step of an agent's run: events, messages, the call and the exact prompt. An early and
 * a late step of one run are compared, because a prompt grows with each step; then those of a run whose prompts are not the conversation.
 */
export async function measureBytes({ earlyStep, lateStep }: ScaleSizes): Promise<readonly ScaleResult[]> {
  const steps = [earlyStep, lateStep] as const;
  await using server = await startPostgres();
  await using client = await connectToPostgres(server.url);
  // A page is written whole at its first change after a checkpoint, which does not depend on the step.
  await client.query("ALTER SYSTEM SET checkpoint_timeout = '1h'");
  await client.query('SELECT pg_reload_conf()');
  const position = async (): Promise<number> => {
    const [row] = await client.query("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes");
    return Number(row?.['bytes']);
  };
  const own = await bytesPerStep(server.url, steps, { position });
  const viewed = await bytesPerStep(server.url, steps, { position, view });
  return [...resultsOf('', steps, own), ...resultsOf(' with a view', steps, viewed)];
}

function resultsOf(kind: string, steps: Steps, bytes: readonly [number, number]): readonly ScaleResult[] {
  const growth = bytes[1] / bytes[0];
  return [
    ...bytes.map((value, index) => ({
      name: `bytes of the write-ahead log, step ${steps[index]}${kind}`,
      value,
      isReached: value <= maxBytesPerStep,
      goal: `${maxBytesPerStep} B`,
    })),
    {
      name: `the late step divided by the early one${kind}`,
      value: growth,
      isReached: growth <= maxGrowth,
      goal: `at most ${maxGrowth}`,
    },
  ];
}

interface Measuring {
  position(): Promise<number>;
  readonly view?: string;
}

/** Executes a run on a server and returns the bytes of the log for each of two steps. */
async function bytesPerStep(
  postgresUrl: string,
  steps: Steps,
  { position, view }: Measuring,
): Promise<readonly [number, number]> {
  const [early, late] = steps;
  const positions = new Map<number, number>();

  /** Returns the position once the steps so far are written. */
  async function settledPosition(): Promise<number> {
    for (let last = await position(); ;) {
      await pause(quietMs);
      const next = await position();
      if (next === last) return next;
      last = next;
    }
  }

  async function* answer({ body }: LoopbackRequest): AsyncIterable<string> {
    const { messages } = body as { readonly messages: readonly { readonly role: string }[] };
    const step = messages.filter(({ role }) => role === 'assistant').length;
    if (steps.some((middle) => Math.abs(middle - step) === around)) positions.set(step, await settledPosition());
    for (const chunk of chunksOf(step, step > late + around)) yield `data: ${JSON.stringify(chunk)}\n\n`;
    yield 'data: [DONE]\n\n';
  }

  await using model = await startLoopbackServer((request) => ({ body: answer(request) }));
  await using installation = await createInstallation(
    {
      plugins: {
        stateStore: { use: '@ravi/state-postgres', url: postgresUrl, schema: view === undefined ? 'plain' : 'viewed' },
        modelProvider: [{ use: '@ravi/provider-openai', baseUrl: `${model.url}/v1`, model: 'scripted', api: 'chat' }],
        ...(view === undefined ? {} : { historyView: [{ use: './view.mjs' }] }),
      },
      agent: {
        maxSteps: late + 2 * around,
        system: 'Look at the records one by one, and say what they have in common. '.repeat(20),
      },
    },
    { 'tools/look.mjs': lookTool, ...(view === undefined ? {} : { 'view.mjs': view }) },
  );
  using ravi = startProcess(installation.folder, ['--config', 'ravi.config.json', '--port', '0']);
  const url = await ravi.url().catch(async (cause: unknown) => {
    throw new Error(`The server does not start: ${await ravi.errors}`, { cause });
  });
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'agent', task: 'Look at all records.' }),
  });
  const { id } = (await response.json()) as { readonly id: string };
  let run: { readonly status: string };
  do {
    await pause(quietMs);
    run = (await (await fetch(`${url}/v1/runs/${id}`)).json()) as typeof run;
  } while (run.status === 'running');
  if (run.status !== 'completed') throw new Error(`The run ended as ${JSON.stringify(run)}`);
  const perStep = (middle: number): number => {
    const [from, to] = [positions.get(middle - around) ?? NaN, positions.get(middle + around) ?? NaN];
    return (to - from) / (2 * around);
  };
  return [perStep(early), perStep(late)];
}

/** Chunks of a response that says something and calls the tool, or ends the run. */
function chunksOf(step: number, isLast: boolean): readonly object[] {
  const text = isLast
    ? 'They have nothing in common.'
    : `After ${step} records nothing is certain yet, so the next one has to be read. `.repeat(5);
  const args = JSON.stringify({ id: step, reason: `Record ${step} was not read yet. `.repeat(8) });
  const call = { index: 0, id: `call_${step}`, type: 'function', function: { name: 'look', arguments: args } };
  const deltas: object[] = text.split(/(?<= )/).map((content) => ({ role: 'assistant', content }));
  if (!isLast) deltas.push({ tool_calls: [call] });
  return [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: isLast ? 'stop' : 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  ];
}
