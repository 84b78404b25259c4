import type { ToolSource } from '@ravi/kernel';

const sources = new Map<string, ToolSource>();
const key = Symbol.for('ravi.test-sources');
Object.assign(globalThis, { [key]: sources });

/** Content of a plugin file `sources.mjs`, whose tool source is one of this process; see {@link testSourceEntry}. */
export const testSourcesPlugin: string = `
export default {
  name: 'test-sources', port: 'toolSource',
  configSchema: {
    type: 'object', properties: { source: { type: 'string' } }, required: ['source'], additionalProperties: false,
  },
  create: ({ source }) => globalThis[Symbol.for('ravi.test-sources')].get(source),
};`;

/** Returns the entry of a configuration for a source of this process, in the folder of `sources.mjs`. */
export function testSourceEntry(source: ToolSource): { readonly use: string; readonly source: string } {
  sources.set(source.name, source);
  return { use: './sources.mjs', source: source.name };
}
