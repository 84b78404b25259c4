import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle, Oracle } from '@ravi/provider-testing';

const resources = join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk')), 'resources');

/** What the official package types, without betas and with them. */
export function libraryOracles(): readonly [plain: Oracle, beta: Oracle] {
  return [
    typesOracle(join(resources, 'messages/messages.d.ts'), 'MessageCreateParamsStreaming'),
    typesOracle(join(resources, 'beta/messages/messages.d.ts'), 'MessageCreateParamsStreaming'),
  ];
}

/** Judges of requests: what is published, and what the official package types; each with and without betas. */
export function requestOracles(): Readonly<Record<'plain' | 'beta', readonly NamedOracle[]>> {
  const [plain, beta] = libraryOracles();
  return {
    plain: [
      ['specification', specOracle('anthropic', 'CreateMessageParams')],
      ['npm types', plain],
    ],
    beta: [
      ['specification', specOracle('anthropic', 'BetaCreateMessageParams')],
      ['npm types', beta],
    ],
  };
}
