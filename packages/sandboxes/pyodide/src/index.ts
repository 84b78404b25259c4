import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { defaultPoolOptions, poolPropertiesWith } from '@ravi/sandbox-kit';
import { createPyodideSandbox, defaultCounts } from './create-pyodide-sandbox.ts';
import type { PyodideSandboxOptions } from './create-pyodide-sandbox.ts';

export { createPyodideSandbox } from './create-pyodide-sandbox.ts';
export type { PyodideSandboxOptions } from './create-pyodide-sandbox.ts';

const plugin: Plugin<'sandbox', PyodideSandboxOptions> = definePlugin({
  name: 'sandbox-pyodide',
  port: 'sandbox',
  configSchema: {
    type: 'object',
    properties: poolPropertiesWith({ ...defaultPoolOptions, ...defaultCounts }),
    additionalProperties: false,
  },
  create: (options) => createPyodideSandbox(options),
});
export default plugin;
