import type { api, BodyOf, QueryOf } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody } from '../command.ts';
import { timeText } from '../render/format.ts';
import { printList } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists the channels of the caller and the shared ones. */
export const listChannels: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  printList(await client.channels.list(), invocation, terminal, ({ channel, isShared, messages, lastAt }) => [
    visible(channel),
    isShared ? 'shared' : 'private',
    `${messages} ${messages === 1 ? 'message' : 'messages'}`,
    timeText(lastAt),
  ]);
};

/** Prints the newest messages of a channel, or those after a number, oldest first. */
export const readChannel: CommandBody = async (invocation, terminal) => {
  const { channel = '', after, limit } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const newest = after === undefined ? 'true' : undefined;
  const query = inputOf<QueryOf<typeof api.channels.read>>({ after, limit, newest });
  printList(
    await client.channels.read(channel, query),
    invocation,
    terminal,
    ({ number, sentAt, from, principal, message }) => [
      String(number),
      timeText(sentAt),
      visible(`${from} (${principal})`),
      visible(typeof message === 'string' ? message : JSON.stringify(message)),
    ],
  );
};

/** Sends a text, or with `--as-json` any JSON value, into a channel. */
export const sendToChannel: CommandBody = async (invocation, terminal) => {
  const { channel = '', message: text = '', id } = invocation.values;
  const message: JsonValue = invocation.flags.has('asJson') ? parsed(text) : text;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const body: BodyOf<typeof api.channels.send> = { message, ...(id === undefined ? {} : { id }) };
  const sent = await client.channels.send(channel, body);
  terminal.print(invocation.isJson ? JSON.stringify(sent) : visible(`Sent as ${sent.number} into ${channel}`));
};

/** Deletes a channel with its messages. */
export const deleteChannel: CommandBody = async (invocation, terminal) => {
  const { channel = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  await client.channels.delete(channel);
  terminal.print(invocation.isJson ? JSON.stringify({ deleted: channel }) : visible(`Deleted: ${channel}`));
};

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new KernelError('E_USAGE', 'The message is not JSON: leave out --as-json to send it as text');
  }
}
