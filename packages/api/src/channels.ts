import type { ChannelEntry, ChannelMessage } from '@ravi/kernel';
import { empty, json, operation } from './operation.ts';
import { page } from './page.ts';
import { boolean, enumOf, integer, object, sameAs, strictObject, string } from './schema.ts';
import { count, jsonValue, requestId, timestamp } from './values.ts';

/** A stored channel in a list. */
const channelSchema = sameAs<ChannelEntry>()(
  object({
    channel: string(),
    isShared: boolean({ description: 'True if all callers read and write it.' }),
    createdAt: timestamp,
    messages: count,
    lastNumber: count,
    lastAt: timestamp,
  }),
);

/** A message of a stored channel. */
const channelMessageSchema = sameAs<ChannelMessage>()(
  object({
    number: integer({ minimum: 0, description: 'Grows with each message of a channel, with gaps.' }),
    id: string(),
    from: string({ description: 'Agent that sent it, or "caller".' }),
    principal: string({ description: 'Caller for whom it was sent.' }),
    message: jsonValue,
    sentAt: timestamp,
  }),
);

const path = '/v1/channels/{channel}';
const messages = `${path}/messages` as const;

/** Operations on stored channels. */
export const channels = {
  list: operation({
    method: 'get',
    path: '/v1/channels',
    summary: "List the caller's channels and the shared ones, by name.",
    responses: { 200: json(page(channelSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  read: operation({
    method: 'get',
    path: messages,
    summary: 'List messages of a channel, oldest first. No reader moves. A channel that does not exist has none.',
    query: strictObject(
      {},
      {
        after: integer({ minimum: 0, description: 'Only messages with a greater number. Default: 0.' }),
        limit: integer({ minimum: 1, maximum: 200, description: 'Messages to return at most; default 50.' }),
        newest: enumOf(['true', 'false'], { description: 'true: the newest of them instead of the oldest.' }),
      },
    ),
    responses: { 200: json(page(channelMessageSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  send: operation({
    method: 'post',
    path: messages,
    summary: 'Send a message. The first one creates the channel.',
    role: 'run',
    body: strictObject({ message: jsonValue }, { id: requestId }),
    responses: { 201: json(channelMessageSchema) },
    errors: ['E_BUDGET_EXHAUSTED', 'E_STATE_UNAVAILABLE'],
  }),
  delete: operation({
    method: 'delete',
    path,
    summary: 'Delete a channel with its messages. Only admins delete a shared one.',
    role: 'run',
    endsWork: true,
    responses: { 204: empty },
    errors: ['E_CHANNEL_UNKNOWN', 'E_FORBIDDEN', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
