import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { poolProperties } from '@ravi/sandbox-kit';
import { createIsolatedVmSandbox } from './create-isolated-vm-sandbox.ts';
import type { IsolatedVmSandboxOptions } from './create-isolated-vm-sandbox.ts';

export { createIsolatedVmSandbox } from './create-isolated-vm-sandbox.ts';
export type { IsolatedVmSandboxOptions } from './create-isolated-vm-sandbox.ts';

const plugin: Plugin<'sandbox', IsolatedVmSandboxOptions> = definePlugin({
  name: 'sandbox-isolated-vm',
  port: 'sandbox',
  configSchema: { type: 'object', properties: poolProperties, additionalProperties: false },
  create: (options) => createIsolatedVmSandbox(options),
});
export default plugin;
