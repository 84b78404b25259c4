import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ModelErrorCode, ModelProvider, ModelRequest } from '@ravi/kernel';
import { collectAnswer, readRecordings, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer } from '@ravi/testkit';

/** Error of a model server as it was recorded or documented, and its classification. */
export interface KnownError {
  readonly server: string;
  /** Package that talks to the server. */
  readonly api: 'openai' | 'anthropic' | 'google';
  /** HTTP status; 200 for an error inside a stream. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or the text of a body that is not JSON. */
  readonly body: unknown;
  /** Recording or page with this error. */
  readonly source: string;
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** Returns the recorded and documented errors of model servers, from `known-errors.json`. */
export function knownErrors(): readonly KnownError[] {
  return JSON.parse(readFileSync(new URL('known-errors.json', import.meta.url), 'utf8')) as readonly KnownError[];
}

const question: ModelRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  tools: [],
};

/** Returns an error as its server sends it: with its status, or as an event after a 200. */
export function errorResponse({ status, headers = {}, body }: KnownError): LoopbackAnswer {
  // A list would be sent piece by piece.
  if (status !== 200) return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
  return { headers: { 'content-type': 'text/event-stream' }, body: `event: error\ndata: ${JSON.stringify(body)}\n\n` };
}

/**
 * Replays every known error of one package over a socket and compares its classification with the table. Returns the
 * number of errors.
 * @param providerAt creates a provider for the URL of the server, without retries
 */
export async function replayKnownErrors(
  api: KnownError['api'],
  providerAt: (url: string) => ModelProvider,
): Promise<number> {
  let current: LoopbackAnswer = { body: '' };
  await using server = await startLoopbackServer(() => current);
  const provider = providerAt(server.url);
  const known = knownErrors().filter((each) => each.api === api);
  for (const each of known) {
    current = errorResponse(each);
    const { error } = await collectAnswer(provider, question);
    const { code, retryable, retryAfterMs } = each;
    assert.deepEqual(
      [error?.code, error?.retryable, error?.retryAfterMs],
      [code, retryable, retryAfterMs],
      `${each.server} ${each.status} ${JSON.stringify(each.body)} became ${error?.message}`,
    );
  }
  return known.length;
}

/** Returns the recorded error responses that are missing in the table; `undefined` without the shared recordings. */
export function unlistedErrors(): readonly string[] | undefined {
  const keyOf = (status: number, body: unknown): string => `${status} ${JSON.stringify(body)}`;
  const listed = new Set(knownErrors().map(({ status, body }) => keyOf(status, body)));
  return readRecordings(/./u)?.flatMap(({ name, interactions }) =>
    interactions.flatMap(({ response: { status, body, text } }) =>
      status >= 400 && !listed.has(keyOf(status, body ?? text)) ? [name] : [],
    ),
  );
}
