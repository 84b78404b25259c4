import { empty, operation } from './operation.ts';
import { strictObject, string } from './schema.ts';
import { jsonValue } from './values.ts';

const errorSchema = strictObject(
  { message: string({ minLength: 1, maxLength: 4_000 }) },
  { code: string({ pattern: '^(?!E_)[A-Za-z0-9_.-]{1,64}$', description: 'Codes with E_ are those of the runtime.' }) },
);

/** Operations of systems that do the work of calls outside of this server. */
export const completions = {
  deliver: operation({
    method: 'post',
    path: '/v1/completions/{token}',
    summary:
      'End the call that waits with this token, once, with its result or an error. The token is the only authentication; one that is unknown, has expired or was withdrawn gets the same response.',
    isOpen: true,
    body: strictObject({}, { result: jsonValue, error: errorSchema }),
    responses: { 204: empty },
    errors: ['E_COMPLETION_UNKNOWN', 'E_COMPLETION_ENDED', 'E_OUTPUT_INVALID', 'E_RATE_LIMITED', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
