// Takes the place of `@ravi/testkit` in the bundled examples: their scripted model becomes a real one over HTTP, so that
// it can be slow, overloaded or cut off.
import { createOpenAiProvider } from '../../packages/providers/openai/src/index.ts';
import type { ModelProvider } from '../../packages/kernel/src/index.ts';
import type { ScriptedTurn } from '../../packages/testkit/src/index.ts';

export { pairingProblems } from '../../packages/testkit/src/index.ts';

/** Returns a model at the address of the test, which answers with these turns. */
export function createScriptedModel(
  turns: readonly ScriptedTurn[],
  { id = 'scripted' }: { id?: string } = {},
): ModelProvider {
  return createOpenAiProvider({
    id,
    model: 'scripted',
    api: 'chat',
    baseUrl: process.env['RAVI_TEST_MODEL_URL'],
    headers: { 'x-turns': encodeURIComponent(JSON.stringify(turns)) },
    firstTokenTimeoutMs: 400,
    idleTimeoutMs: 400,
    maxRetryDelayMs: 1_000,
  });
}
