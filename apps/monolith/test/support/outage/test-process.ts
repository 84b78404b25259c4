import 'reflect-metadata/lite';
import { tmpdir } from 'node:os';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { connectEngine, createToolChainTool } from '@ravi/capabilities';
import { createMemoryRunEngine } from '@ravi/engine-memory';
import { resolveConfig } from '@ravi/host';
import type { RaviConfig } from '@ravi/host';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { CompleteStateStore, ModelProvider, Sandbox, Tool } from '@ravi/kernel';
import { createContainer, partsOf } from '../../../src/container.ts';
import type { DurableServices } from '../../../src/runs/durable-services.ts';
import { createLiveConfig } from '../../../src/reload/live-config.ts';
import { createRedactor } from '../../../src/logging/redactor.ts';
import { startRecovery } from '../../../src/runs/start-recovery.ts';
import type { Parts } from '../../../src/tokens.ts';

/** Services of one process over a state store that others may share, composed like those of a server. */
export interface TestProcess extends AsyncDisposable {
  readonly parts: Parts;
  readonly durable: DurableServices;
}

/** Options of {@link openTestProcess}. */
export interface TestProcessOptions {
  readonly stateStore: CompleteStateStore;
  readonly model: ModelProvider;
  readonly sandbox: Sandbox;
  readonly tools: readonly Tool[];
  readonly config: RaviConfig;
}

/** Opens the services of a process and starts its recovery. */
export function openTestProcess({ stateStore, model, sandbox, tools, config }: TestProcessOptions): TestProcess {
  const lifetime = new AbortController();
  const liveConfig = createLiveConfig(resolveConfig(config, { baseDir: tmpdir(), source: 'test' }));
  const engine = createMemoryRunEngine();
  const container = createContainer({
    config: liveConfig.config,
    liveConfig,
    readAgain: () => Promise.resolve(liveConfig.config),
    baseDir: tmpdir(),
    clock: systemClock,
    logger: silentLogger,
    redactor: createRedactor([]),
    digestKey: new Uint8Array(32),
    hostPaths: [],
    accessTokens: [],
    lifetime: lifetime.signal,
    version: '0.0.0',
    stateStore,
    blobStore: createMemoryBlobStore(),
    sandbox,
    approvalHandler: undefined,
    model,
    models: [model],
    workspaces: { loaded: [] } as Partial<Parts['workspaces']> as Parts['workspaces'],
    skills: { all: [] } as Partial<Parts['skills']> as Parts['skills'],
    guides: { current: { kits: [], toolSkills: [] } } as Partial<Parts['guides']> as Parts['guides'],
    extensions: { interceptors: [], middleware: [], view: undefined },
    snippetStore: undefined as never,
    preflight: false,
    runEngine: engine,
    telemetryProviders: undefined,
  });
  const parts = partsOf(container);
  const { durable, toolbox, invoker } = parts;
  if (durable === undefined) throw new TypeError('There is no state store');
  const { process, recorder, chains, agentRunner } = durable;
  for (const tool of tools) toolbox.add(tool);
  toolbox.add(createToolChainTool({ invoker, sandbox, preflight: false, chains }));
  const connection = connectEngine({ store: durable.store, engine });
  const recovery = startRecovery(parts);
  return {
    parts,
    durable,
    async [Symbol.asyncDispose]() {
      recovery?.stop();
      lifetime.abort();
      await agentRunner[Symbol.asyncDispose]();
      await chains[Symbol.asyncDispose]();
      await recovery?.[Symbol.asyncDispose]();
      (await connection)[Symbol.dispose]();
      await engine[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
      await process[Symbol.asyncDispose]();
    },
  };
}
