import type { RunnerOptions, ScriptRunner } from './script-runner.ts';

/** Name of a runner. */
export type RunnerName =
  | 'Ravi'
  | 'Ravi, sandbox alone'
  | 'Ravi in docker'
  | 'Ravi, sandbox on a node'
  | 'TanStack isolate-node'
  | 'TanStack isolate-quickjs'
  | 'UTCP code-mode'
  | '@ai-sdk/code-mode';

/** Every way to run a script; each is loaded only in the process that runs it. */
export const runners: Readonly<Record<RunnerName, (options?: RunnerOptions) => Promise<ScriptRunner>>> = {
  Ravi: async (options) => (await import('./chain-runner.ts')).createChainRunner(options),
  'Ravi, sandbox alone': async () => (await import('./bare-runner.ts')).createBareRunner(),
  'Ravi in docker': async () => (await import('./remote-runners.ts')).createDockerRunner(),
  'Ravi, sandbox on a node': async () => (await import('./remote-runners.ts')).createRemoteRunner(),
  'TanStack isolate-node': async () => (await import('./tanstack-runner.ts')).createTanStackRunner(),
  'TanStack isolate-quickjs': async () => (await import('./tanstack-runner.ts')).createTanStackQuickJsRunner(),
  'UTCP code-mode': async () => (await import('./utcp-runner.ts')).createUtcpRunner(),
  '@ai-sdk/code-mode': async () => (await import('./ai-sdk-runner.ts')).createAiSdkRunner(),
};

/** Names of the runners of other projects. */
export const peerNames: readonly RunnerName[] = [
  'TanStack isolate-node',
  'TanStack isolate-quickjs',
  'UTCP code-mode',
  '@ai-sdk/code-mode',
];
