import type { api, QueryOf } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody } from '../command.ts';
import { timeText } from '../render/format.ts';
import { printList } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists what agents remember about the caller: the newest, or the best matches of a query. */
export const listMemories: CommandBody = async (invocation, terminal) => {
  const { query, limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const input = inputOf<QueryOf<typeof api.memories.list>>({ query, limit, cursor });
  printList(await client.memories.list(input), invocation, terminal, ({ id, createdAt, agent = '', text }) => [
    visible(id),
    timeText(createdAt),
    visible(agent),
    visible(text),
  ]);
};

/** Deletes a memory for good, or with `--all` every one. */
export const deleteMemories: CommandBody = async (invocation, terminal) => {
  const { memory } = invocation.values;
  const all = invocation.flags.has('all');
  if (all === (memory !== undefined)) throw new KernelError('E_USAGE', 'Give either the id of a memory or --all');
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  if (memory !== undefined) await client.memories.delete(memory);
  const { deleted } = memory === undefined ? await client.memories.clear() : { deleted: 1 };
  const what = deleted === 1 ? '1 memory' : `${deleted} memories`;
  terminal.print(invocation.isJson ? JSON.stringify({ deleted }) : `Deleted ${what}`);
};
