import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createRemoteSandbox } from './create-remote-sandbox.ts';
import { remoteOptionsSchema } from './remote-options.ts';
import type { RemoteSandboxOptions } from './remote-options.ts';

export type { NodeEntry } from './client/node-address.ts';
export { createRemoteSandbox } from './create-remote-sandbox.ts';
export type { RemoteSandboxServices } from './create-remote-sandbox.ts';
export { defaultNodeLimits, startSandboxNode } from './node/sandbox-node.ts';
export type { SandboxNode, SandboxNodeLimits, SandboxNodeOptions } from './node/sandbox-node.ts';
export type { NodeHealth } from './protocol/messages.ts';
export type { RemoteSandboxOptions } from './remote-options.ts';
export { readTlsFiles, tlsFileProperties } from './tls-files.ts';
export type { TlsFiles, TlsMaterial } from './tls-files.ts';

const plugin: Plugin<'sandbox', RemoteSandboxOptions> = definePlugin({
  name: 'sandbox-remote',
  port: 'sandbox',
  configSchema: remoteOptionsSchema,
  create: (options, { baseDir, clock, logger }) => createRemoteSandbox(options, { baseDir, clock, logger }),
});
export default plugin;
