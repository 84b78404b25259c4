import type { HistoryEntry } from '@ravi/kernel';
import { messageSchema } from './models.ts';
import { json, operation } from './operation.ts';
import { page, pageQuery } from './page.ts';
import { object, sameAs, strictObject, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, jsonObject, timestamp } from './values.ts';

/** A conversation. */
export const conversationSchema = object({ sessionId: string(), runs: count, lastRunAt: timestamp });

/** A conversation: the runs that share a session id. */
export type Conversation = ValueOf<typeof conversationSchema>;

/** A message of a conversation. */
export const historyEntrySchema = sameAs<HistoryEntry>()(
  object(
    { principal: string(), sessionId: string(), message: messageSchema, createdAt: timestamp, number: count },
    { runId: string(), details: jsonObject },
  ),
);

/** Operations on conversations. */
export const conversations = {
  list: operation({
    method: 'get',
    path: '/v1/sessions',
    summary: "List the conversations of a page of the caller's runs, the one with the newest run first.",
    query: strictObject({}, pageQuery),
    responses: { 200: json(page(conversationSchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
  history: operation({
    method: 'get',
    path: '/v1/sessions/{id}/history',
    summary: 'List the messages of a conversation, oldest first.',
    query: strictObject({}, pageQuery),
    responses: { 200: json(page(historyEntrySchema)) },
    errors: ['E_STATE_UNAVAILABLE'],
  }),
} as const;
