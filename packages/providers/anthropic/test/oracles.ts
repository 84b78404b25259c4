import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle, Oracle } from '@ravi/provider-testing';

const resources = join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk')), 'resources');

/** Oracles from the types of the official package, without and with betas. */
export function libraryOracles(): readonly [plain: Oracle, beta: Oracle] {
  return [
    typesOracle(join(resources, 'messages/messages.d.ts'), 'MessageCreateParamsStreaming'),
    typesOracle(join(resources, 'beta/messages/messages.d.ts'), 'MessageCreateParamsStreaming'),
  ];
}

/** Oracles of requests: the published schema and the types of the official package, each with and without betas. */
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
