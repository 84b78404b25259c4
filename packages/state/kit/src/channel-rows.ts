import { channelLimits, channelNamePattern } from '@ravi/kernel';
import type { ChannelEntry, ChannelMessage, ChannelPlace, NewChannelMessage } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { jsonText } from './json-text.ts';
import { checkId, principalKey } from './keys.ts';
import { numberIn, objectIn, textIn } from './rows.ts';
import type { SqlRow } from './database.ts';
import type { RowReader } from './rows.ts';

/** Columns that name a channel. */
export interface ChannelKey {
  readonly owner_key: string;
  readonly name: string;
}

/** Reader of the messages of channels. */
export const messages: RowReader<ChannelMessage> = {
  table: 'ravi_channel_messages',
  key: (row) => String(row['message_id']),
  decode: (row) => ({
    ...objectIn<NewChannelMessage>(row, 'record', ['id', 'from', 'principal', 'message', 'sentAt']),
    number: numberIn(row, 'sequence'),
  }),
};

/** Returns the reader of the channels of one kind of owner. */
export function channelsOf(isShared: boolean): RowReader<ChannelEntry> {
  return {
    table: 'ravi_channels',
    key: (row) => String(row['name']),
    decode: (row) => ({
      channel: textIn(row, 'name'),
      isShared,
      createdAt: numberIn(row, 'created_at'),
      messages: numberIn(row, 'messages'),
      lastNumber: numberIn(row, 'last_number'),
      lastAt: numberIn(row, 'last_at'),
    }),
  };
}

/** Returns the key of an owner: a letter tells the shared channels from those of a principal, which may be any text. */
export function ownerKey({ principal, isShared = false }: Omit<ChannelPlace, 'channel'>): string {
  return isShared ? 's' : `p${principalKey(principal)}`;
}

/** Returns the columns of a place; `undefined` if no channel can have its name. */
export function keyOf(place: ChannelPlace): ChannelKey | undefined {
  return channelNamePattern.test(place.channel) ? { owner_key: ownerKey(place), name: place.channel } : undefined;
}

/** Returns the columns of a place. @throws KernelError `E_STATE_INVALID` */
export function checkedKeyOf(place: ChannelPlace): ChannelKey {
  const key = keyOf(place);
  if (key !== undefined) return key;
  throw invalid(
    `The name of a channel must have 1 to 100 letters, digits and "._:-" and begin with a letter or digit, got ` +
      JSON.stringify(place.channel.slice(0, 120)),
  );
}

/** Returns the columns of a new message. @throws KernelError `E_STATE_INVALID` */
export function messageRow(message: NewChannelMessage): Record<'message_id' | 'record', string> & { sent_at: number } {
  const message_id = checkId(message.id, 'The id of a message');
  checkId(message.from, 'The author of a message');
  const bytes = Buffer.byteLength(jsonText(message.message, 'A message'));
  const { messageBytes } = channelLimits;
  if (bytes > messageBytes) throw invalid(`A message has ${bytes} bytes of JSON; the maximum is ${messageBytes}`);
  return { message_id, sent_at: message.sentAt, record: jsonText(message, 'A message') };
}

/** Returns the number of the channel in a row of the table of channels. */
export function channelNumber(row: SqlRow): number {
  return numberIn(row, 'sequence');
}
