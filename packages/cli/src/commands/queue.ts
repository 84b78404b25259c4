import type { Queue } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Shows the runs that wait for a server, and those that the server executes. */
export const showQueue: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const queue = await client.queue.get();
  // The engine of this process has no run in it.
  if (client.isEmbedded && !queue.isShared) {
    const message = `Each server has a queue of its own with the run engine ${queue.engine}: name one with --server <url>`;
    throw new KernelError('E_USAGE', message);
  }
  if (invocation.isJson) return terminal.print(JSON.stringify(queue));
  const { engine, isShared, principals } = queue;
  const rows = [
    ['engine', visible(isShared ? `${engine}, of all servers` : `${engine}, of this server alone`)],
    ...runRows(queue.runs),
    // Without a server this process executes no run.
    ...(client.isEmbedded ? [] : serverRows(queue.server)),
  ];
  for (const line of tableLines(rows)) terminal.print(line);
  if (principals.length === 0) return;
  const busiest = principals.map(({ principal, ready, taken }) => [
    visible(`  ${principal}`),
    `${ready} waiting`,
    `${taken} taken`,
  ]);
  for (const line of ['', 'principals', ...tableLines(busiest)]) terminal.print(line);
};

function runRows({ ready, delayed, taken, dead, oldestReadyMs }: Queue['runs']): readonly (readonly string[])[] {
  const oldest = oldestReadyMs === undefined ? '' : `, the oldest for ${(oldestReadyMs / 1_000).toFixed(1)} s`;
  return [
    ['waiting', `${ready}${oldest}`],
    ['later', String(delayed)],
    ['taken', String(taken)],
    ['given up', String(dead)],
  ];
}

function serverRows({ slots, executing }: Queue['server']): readonly (readonly string[])[] {
  const kinds = ['agents', 'scripts'] as const;
  return kinds.map((kind) => [
    kind,
    `${executing[kind]} executing here, ${slots[kind]} ${slots[kind] === 1 ? 'slot' : 'slots'}`,
  ]);
}
