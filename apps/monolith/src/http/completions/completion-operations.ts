import { api } from '@ravi/api';
import type { BodyOf } from '@ravi/api';
import type { CompletionDesk, CompletionOutcome } from '@ravi/approval-kit';
import type { JsonValue, KernelError } from '@ravi/kernel';
import type { RateLimit } from '@ravi/support';
import { implement, Reply } from '../core/implement.ts';
import type { Admission, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

const maxBodyBytes = 1_048_576;

/** Implements the end of a call by another system, which has nothing but the token of the call. `failures` limits unknown tokens. */
export function completionOperations(desk: CompletionDesk, failures: RateLimit): readonly Endpoint[] {
  // The same for every token that ends nothing. Like unknown access tokens, such requests of one address are limited.
  function unknownFrom(address: string): KernelError {
    const waitMs = failures.take(address);
    if (waitMs !== undefined) return problem('E_RATE_LIMITED', 'Too many unknown tokens from this address', waitMs);
    return problem('E_COMPLETION_UNKNOWN', 'No call waits for a result with this token');
  }

  function ended(): KernelError {
    return problem('E_COMPLETION_ENDED', 'The call with this token has its result; this one changed nothing');
  }

  // The token is the only authentication, so a caller without one does not make this server read a body.
  async function admit({ params: { token = '' }, address }: Parameters<Admission>[0]): Promise<void> {
    const status = await desk.check(token);
    if (status === 'unknown') throw unknownFrom(address);
    if (status === 'ended') throw ended();
  }

  return [
    implement(
      api.completions.deliver,
      async ({ params, body, address }) => {
        const delivery = await desk.deliver(params.token, outcomeOf(body));
        switch (delivery.status) {
          case 'delivered':
            return new Reply(204, undefined);
          case 'ended':
            throw ended();
          case 'invalid':
            throw problem(
              'E_OUTPUT_INVALID',
              `The result does not match the outputSchema of the tool: ${delivery.problem}`,
            );
          case 'unknown':
            throw unknownFrom(address);
        }
      },
      { maxBodyBytes, admit },
    ),
  ];
}

function outcomeOf({ result, error }: BodyOf<typeof api.completions.deliver>): CompletionOutcome {
  if ((result === undefined) === (error === undefined)) {
    throw problem('E_REQUEST_INVALID', 'The body must have either "result" or "error"');
  }
  return error === undefined ? { result: result as JsonValue } : { error };
}
