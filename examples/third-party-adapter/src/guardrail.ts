// #region guardrail
import { definePlugin } from '@ravi/kernel';
import type { Guardrail, Plugin } from '@ravi/kernel';

/** Options of the plugin. */
export interface WordOptions {
  /** Words that neither a response nor an argument of a call may contain. */
  readonly words: readonly string[];
}

/** Ends a run whose model writes one of the words. */
export function createWordGuardrail({ words }: WordOptions): Guardrail {
  function reasonFor(text: string): string | undefined {
    const found = words.find((word) => text.toLowerCase().includes(word.toLowerCase()));
    return found === undefined ? undefined : `"${found}" is confidential`;
  }
  return {
    name: 'confidential-words',
    output: reasonFor,
    call: ({ args }) => reasonFor(JSON.stringify(args)),
  };
}

const plugin: Plugin<'guardrail', WordOptions> = definePlugin({
  name: 'confidential-words',
  port: 'guardrail',
  configSchema: {
    type: 'object',
    properties: { words: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 } },
    required: ['words'],
    additionalProperties: false,
  },
  create: createWordGuardrail,
});
export default plugin;
// #endregion
