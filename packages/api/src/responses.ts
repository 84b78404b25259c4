import type { JsonValue } from '@ravi/kernel';
import { json, operation } from './operation.ts';
import { boolean, described, object, strictObject, string, typed } from './schema.ts';
import type { Schema } from './schema.ts';
import { count, jsonObject } from './values.ts';

const input: Schema<JsonValue> = typed({
  type: ['string', 'array'],
  description: 'Text, or one user message that contains text.',
});

/** An event of the stream, in OpenAI's format. */
const eventSchema = object({ type: string(), sequence_number: count });

/** Operations for clients of OpenAI's Responses API. */
export const responses = {
  create: operation({
    method: 'post',
    path: '/v1/responses',
    keyed: 'run',
    summary: "Ask the agent with a client of OpenAI's Responses API. With stream, events have OpenAI's format.",
    role: 'run',
    body: strictObject(
      { input },
      {
        stream: boolean(),
        previous_response_id: string({ maxLength: 200, description: 'Continues the conversation of that response.' }),
        model: string({ description: 'Name of an agent. The default agent if the server has none of this name.' }),
        store: boolean({ description: 'Ignored: runs are always stored.' }),
        metadata: described(jsonObject, 'Ignored.'),
      },
    ),
    responses: { 200: json(jsonObject) },
    events: eventSchema,
    errors: [
      'E_RUN_NOT_FOUND',
      'E_SESSION_BUSY',
      'E_NOT_STARTED',
      'E_CALL_UNKNOWN',
      'E_STATE_UNAVAILABLE',
      'E_RUN_SUSPENDED',
    ],
  }),
} as const;
