import type { api, QueryOf } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody } from '../command.ts';
import { timeText } from '../render/format.ts';
import { printList } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists the processes that share the state store. */
export const listProcesses: CommandBody = async (invocation, terminal) => {
  const { limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const input = inputOf<QueryOf<typeof api.processes.list>>({ limit, cursor });
  printList(await client.processes.list(input), invocation, terminal, (process) => [
    visible(process.id),
    process.isAlive ? 'alive' : 'dead',
    `since ${timeText(process.startedAt)}`,
    `last sign of life ${timeText(process.heartbeatAt)}`,
    visible(process.version ?? ''),
    visible(process.address ?? ''),
  ]);
};
