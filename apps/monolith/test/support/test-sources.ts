import type { ToolSource } from '@ravi/kernel';

const sources = new Map<string, ToolSource>();
Object.assign(globalThis, { raviTestSources: sources });

/** Plugin file whose tool source is that of this process with the same name. Pass it to `startServer` as `sources.mjs`. */
export const sourcesPlugin = `
export default {
  name: 'test-sources', port: 'toolSource',
  configSchema: {
    type: 'object', properties: { source: { type: 'string' } }, required: ['source'], additionalProperties: false,
  },
  create: ({ source }) => globalThis.raviTestSources.get(source),
};`;

/** Returns the entry of a configuration for a source of this process. */
export function sourceEntry(source: ToolSource): { readonly use: string; readonly source: string } {
  sources.set(source.name, source);
  return { use: './sources.mjs', source: source.name };
}
