import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { poolProperties } from '@ravi/sandbox-kit';
import { createVmSandbox } from './create-vm-sandbox.ts';
import type { VmSandboxOptions } from './create-vm-sandbox.ts';

export { createVmSandbox } from './create-vm-sandbox.ts';
export type { VmSandboxOptions } from './create-vm-sandbox.ts';

const plugin: Plugin<'sandbox', VmSandboxOptions> = definePlugin({
  name: 'sandbox-vm',
  port: 'sandbox',
  configSchema: {
    type: 'object',
    properties: {
      unsafe: { type: 'boolean', description: 'Must be true: node:vm does not contain hostile code.' },
      ...poolProperties,
    },
    additionalProperties: false,
  },
  create: (options) => createVmSandbox(options),
});
export default plugin;
