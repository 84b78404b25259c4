import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createDockerSandbox } from './create-docker-sandbox.ts';
import { dockerOptionsSchema } from './docker-options.ts';
import type { DockerSandboxOptions } from './docker-options.ts';

export { createDockerSandbox } from './create-docker-sandbox.ts';
export type { ContainerLimits } from './container/specification.ts';
export type { DockerSandboxOptions } from './docker-options.ts';

const plugin: Plugin<'sandbox', DockerSandboxOptions> = definePlugin({
  name: 'sandbox-docker',
  port: 'sandbox',
  configSchema: dockerOptionsSchema,
  create: (options) => createDockerSandbox(options),
});
export default plugin;
