import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import { patienceOf, send } from './http.ts';
import type { KilledServers } from './servers.ts';
import type { RunStarter } from './starter.ts';
import { answerTo, asks } from './workloads.ts';

/** Answers that a server acknowledged. */
export interface SentAnswer {
  readonly runId: string;
  readonly callIds: readonly string[];
}

/** A user who answers the questions of agents. */
export interface Answerer {
  readonly answers: readonly SentAnswer[];
  /** Resolves when the user has stopped. */
  stop(): Promise<void>;
}

interface Question {
  readonly callId: string;
  readonly question: string;
}

const pollMs = 300;

/** Starts a user who answers each question after a while, at any live server, until one acknowledges the answer. */
export function startAnswerer(servers: KilledServers, random: SeededRandom, starter: RunStarter): Answerer {
  const answers: SentAnswer[] = [];
  const answered = new Set<string>();
  const ended = new Set<string>();
  let isStopped = false;

  async function answer(runId: string): Promise<void> {
    const run = (await send(servers, `/v1/runs/${runId}`))?.body;
    if (['completed', 'failed', 'cancelled'].includes(run?.status)) ended.add(runId);
    if (run?.status !== 'paused') return;
    const open = (run.questions as readonly Question[]).filter(({ callId }) => !answered.has(`${runId} ${callId}`));
    if (open.length === 0) return;
    await pause(random.below(600));
    const body = { answer: Object.fromEntries(open.map(({ callId, question }) => [callId, answerTo(question)])) };
    const reply = await send(servers, `/v1/runs/${runId}/resume`, { body, ...patienceOf(random) });
    // After any other response the run tells whether the answer has arrived.
    if (reply?.status !== 200) return;
    const callIds = open.map(({ callId }) => callId);
    for (const callId of callIds) answered.add(`${runId} ${callId}`);
    answers.push({ runId, callIds });
  }

  async function poll(): Promise<void> {
    while (!isStopped) {
      const asking = starter.runs.filter(({ id, workload }) => asks(workload) && !ended.has(id));
      await Promise.all(asking.map(({ id }) => answer(id)));
      await pause(pollMs);
    }
  }

  const polling = poll();
  return {
    answers,
    stop() {
      isStopped = true;
      return polling;
    },
  };
}
