import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFailover } from '@ravi/agents';
import { connectEngine, createFolderSnippetStore, createPreflight } from '@ravi/capabilities';
import type { AgentConfig } from '@ravi/host';
import { KernelError, isKernelError, requireStateStoreParts } from '@ravi/kernel';
import type {
  CompleteStateStore,
  ModelProvider,
  RunEngine,
  SnippetStore,
  ToolSource,
  TriggerAccess,
} from '@ravi/kernel';
import { messageWithCauses } from '@ravi/support';
import { extensionsOf } from './extensions.ts';
import { openInstalledPlugins } from './installation.ts';
import type { Installation } from './installation.ts';
import type { InstallationKey } from './installation-key.ts';
import { chooseModel } from './model/choose-model.ts';
import { openExporters } from './observability/open-exporters.ts';
import type { TelemetryProviders } from './observability/open-exporters.ts';
import { openGuideSet } from './reload/guide-set.ts';
import { openSkillSet } from './reload/skill-set.ts';
import { importSnippets } from './tools/import-snippets.ts';
import type { Adapters, Configuration } from './tokens.ts';
import { openWorkspaceSet } from './workspaces/workspace-set.ts';

/** Options of {@link openAdapters}. */
export interface OpenAdaptersOptions {
  readonly installation: Installation;
  readonly configuration: Configuration;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Replaces the exporters that environment or configuration name. */
  readonly telemetryProviders: TelemetryProviders | undefined;
  /** Triggers for the tool sources of plugins. */
  readonly triggers: TriggerAccess;
  /** True for a process that ties a new state store to this installation, and moves what the data folder has into it. */
  readonly claimsState: boolean;
  /** Finds the digest key of the installation. */
  readonly digestKeyFor: InstallationKey;
  /** Receives everything that has to be disposed, in the order of opening. */
  readonly opening: AsyncDisposableStack;
}

/** Adapters of a process, and the tool sources of its plugins. */
export type OpenedAdapters = Adapters & { readonly toolSources: readonly ToolSource[] };

/** Opens every adapter of an installation. @throws KernelError as {@link openInstalledPlugins}, `E_CONFIG_INVALID` */
export async function openAdapters(options: OpenAdaptersOptions): Promise<OpenedAdapters> {
  const { opening, env, triggers, digestKeyFor } = options;
  const { config, baseDir } = options.installation;
  const { clock, logger } = options.configuration;

  // First, so that what the others do while they are disposed is exported too.
  const telemetryProviders =
    options.telemetryProviders ??
    opening.use(await openExporters({ endpoint: config.telemetry.endpoint, env, logger }));
  const chosen = await chosenModel(options);
  const otherModels = chosen === undefined ? [] : [chosen];
  const context = { baseDir, env, clock, logger, digestKeyFor, channels: config.channels, otherModels, triggers };
  const plugins = opening.use(await openInstalledPlugins(config.plugins, context));
  const { blobStore, sandbox, approvalHandler, toolSource: toolSources } = plugins;
  const models = chosen === undefined ? plugins.modelProvider : [chosen];
  const stateStore = plugins.stateStore && requireStateStoreParts(plugins.stateStore);
  const workspaces = await openWorkspaceSet(config, { baseDir });
  return {
    telemetryProviders,
    stateStore,
    runEngine: await connectedEngine(stateStore, plugins.runEngine, options),
    digestKey: await digestKeyFor(plugins.stateStore),
    blobStore,
    sandbox,
    approvalHandler,
    model: failoverOf(models, options),
    models,
    workspaces,
    skills: await openSkillSet(config.skills, workspaces.loaded, { baseDir, logger }),
    guides: await openGuideSet(config, { baseDir, logger }),
    snippetStore: await openSnippetStore(stateStore, options),
    preflight: config.chains.preflight && opening.use(createPreflight({ clock })),
    extensions: extensionsOf(plugins),
    toolSources,
  };
}

/** Lets the engine wake the runs of the state store; without a store there are none. @throws KernelError `E_CONFIG_INVALID` */
async function connectedEngine(
  store: CompleteStateStore | undefined,
  engine: RunEngine | undefined,
  { opening, configuration: { logger } }: OpenAdaptersOptions,
): Promise<RunEngine | undefined> {
  if (store === undefined || engine === undefined) return undefined;
  try {
    opening.use(await connectEngine({ store, engine, logger }));
    return engine;
  } catch (cause) {
    if (isKernelError(cause) && cause.retryable) throw cause;
    const reason = cause instanceof Error ? messageWithCauses(cause) : String(cause);
    const advice = 'The url of plugins.runEngine must name the database of plugins.stateStore.';
    throw new KernelError('E_CONFIG_INVALID', `plugins.runEngine: ${reason}. ${advice}`, { cause });
  }
}

/** Returns the snippets of the state store, which other servers see too; without one those of the data folder. */
async function openSnippetStore(
  stateStore: CompleteStateStore | undefined,
  { claimsState, configuration: { logger }, installation: { dataFolder } }: OpenAdaptersOptions,
): Promise<SnippetStore> {
  const folder = join(dataFolder, 'snippets');
  if (stateStore === undefined) return createFolderSnippetStore(folder);
  const { snippets: store } = stateStore;
  if (claimsState) await importSnippets({ folder, store, logger });
  return store;
}

/** Returns the model that the environment names; `undefined` if the configuration has models. */
async function chosenModel({ env, installation: { config } }: OpenAdaptersOptions): Promise<ModelProvider | undefined> {
  if ((config.plugins.modelProvider ?? []).length > 0) return undefined;
  return chooseModel(env, { script: await demoScriptOf(config.agent) });
}

/** Returns the only model, or one that fails over. */
function failoverOf(models: readonly ModelProvider[], options: OpenAdaptersOptions): ModelProvider {
  const [first] = models;
  if (first !== undefined && models.length === 1) return first;
  const { modelCooldownMs } = options.installation.config.agent;
  return createFailover(models, {
    clock: options.configuration.clock,
    ...(modelCooldownMs === undefined ? {} : { cooldownMs: modelCooldownMs }),
  });
}

async function demoScriptOf({ demoScript }: AgentConfig): Promise<string | undefined> {
  if (demoScript === undefined) return undefined;
  try {
    return await readFile(demoScript, 'utf8');
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', 'agent.demoScript names a file that cannot be read', { cause });
  }
}
