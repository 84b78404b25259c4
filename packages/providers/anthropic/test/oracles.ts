import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle } from '@ravi/provider-testing';

/** Judges of requests: what is published, and what the official package types; each with and without betas. */
export function requestOracles(): Readonly<Record<'plain' | 'beta', readonly NamedOracle[]>> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/sdk')), 'resources');
  return {
    plain: [
      ['specification', specOracle('anthropic', 'CreateMessageParams')],
      ['npm types', typesOracle(join(folder, 'messages/messages.d.ts'), 'MessageCreateParamsStreaming')],
    ],
    beta: [
      ['specification', specOracle('anthropic', 'BetaCreateMessageParams')],
      ['npm types', typesOracle(join(folder, 'beta/messages/messages.d.ts'), 'MessageCreateParamsStreaming')],
    ],
  };
}
