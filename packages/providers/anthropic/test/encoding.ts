import assert from 'node:assert/strict';
import type { ModelRequest, ModelWarning } from '@ravi/kernel';
import { ask, text, user } from '@ravi/provider-testing';
import { encodeMessages } from '../src/index.ts';
import type { AnthropicOptions, MessagesRequest } from '../src/index.ts';
import { settingsFor } from './settings.ts';
import { wireProblems } from './wire-problems.ts';

/** Part of a request to inspect. */
export type WireObject = Readonly<Record<string, never>>;

interface WireMessage {
  readonly role: string;
  readonly content: readonly WireObject[];
}

/** Encoded request and the parts that tests inspect. */
export interface Encoded extends MessagesRequest {
  readonly codes: readonly ModelWarning['code'][];
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireObject[];
}

export const sonnet: string = 'claude-sonnet-4-6';
/** Source of the blocks that {@link encode} sends back. */
export const source: string = `anthropic/messages/${sonnet}`;

/** Encodes without cache marks and asserts the rules of order and pairs. */
export function encode(more: Partial<ModelRequest>, options: Partial<AnthropicOptions> = {}): Encoded {
  const settings = settingsFor(options.model ?? sonnet, { cache: 'none', ...options });
  const encoded = encodeMessages(ask([user(text('Hi'))], more), settings);
  assert.deepEqual(wireProblems(encoded.body), []);
  return {
    ...encoded,
    codes: encoded.warnings.map(({ code }) => code),
    messages: encoded.body['messages'] as unknown as readonly WireMessage[],
    tools: (encoded.body['tools'] ?? []) as unknown as readonly WireObject[],
  };
}

/** Returns the role of each message and the types of its blocks. */
export function typesOf(messages: readonly WireMessage[]): unknown[] {
  return messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)]);
}
