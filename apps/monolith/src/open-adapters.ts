import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolderSnippetStore, createPreflight } from '@ravi/capabilities';
import type { AgentConfig, OpenedPlugins } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { StateStore, ToolSource } from '@ravi/kernel';
import { createCallerApprovals } from './access/caller-approvals.ts';
import type { CallerApprovalsOptions } from './access/caller-approvals.ts';
import { openInstalledPlugins } from './installation.ts';
import type { Installation } from './installation.ts';
import { chooseModel } from './model/choose-model.ts';
import { openExporters } from './observability/open-exporters.ts';
import type { TelemetryProviders } from './observability/open-exporters.ts';
import type { Adapters, Configuration } from './tokens.ts';
import { loadSkills } from './tools/load-skills.ts';

/** Options of {@link openAdapters}. */
export interface OpenAdaptersOptions {
  readonly installation: Installation;
  readonly configuration: Configuration;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Replaces the exporters that environment or configuration name. */
  readonly telemetryProviders: TelemetryProviders | undefined;
  /** Receives everything that has to be disposed, in the order of opening. */
  readonly opening: AsyncDisposableStack;
}

/** Adapters of a process, and the tool sources of its plugins. */
export type OpenedAdapters = Adapters & { readonly toolSources: readonly ToolSource[] };

/** Opens every adapter of an installation. @throws KernelError as {@link openInstalledPlugins}, `E_CONFIG_INVALID` */
export async function openAdapters(options: OpenAdaptersOptions): Promise<OpenedAdapters> {
  const { opening, env } = options;
  const { config, baseDir, dataFolder } = options.installation;
  const { access, clock, logger } = options.configuration;

  // First, so that what the others do while they are disposed is exported too.
  const telemetryProviders =
    options.telemetryProviders ??
    opening.use(await openExporters({ endpoint: config.telemetry.endpoint, env, logger }));
  const plugins = opening.use(await openInstalledPlugins(config.plugins, { baseDir, clock, logger }));
  const { stateStore, blobStore, sandbox, toolSource: toolSources } = plugins;
  const { allowedHosts } = config.server;
  const approvals = approvalsOf(plugins, { callers: access.callers, allowedHosts, clock, logger });
  opening.use(approvals.callerApprovals?.handler);
  return {
    telemetryProviders,
    stateStore,
    blobStore,
    sandbox,
    ...approvals,
    model: plugins.modelProvider[0] ?? chooseModel(env, { script: await demoScriptOf(config.agent) }),
    skills: await loadSkills(config.skills, { baseDir, logger }),
    snippetStore: createFolderSnippetStore(join(dataFolder, 'snippets')),
    preflight: config.chains.preflight && opening.use(createPreflight({ clock })),
    toolSources,
  };
}

// Where nothing else was configured there is a state store, and callers answer over HTTP.
function approvalsOf(
  { approvalHandler, stateStore }: OpenedPlugins,
  options: Omit<CallerApprovalsOptions, 'store'>,
): Pick<Adapters, 'approvalHandler' | 'callerApprovals'> {
  if (approvalHandler !== undefined) return { approvalHandler, callerApprovals: undefined };
  const { approvals: store } = stateStore as StateStore;
  const callerApprovals = createCallerApprovals({ ...options, store });
  return { approvalHandler: callerApprovals.handler, callerApprovals };
}

async function demoScriptOf({ demoScript }: AgentConfig): Promise<string | undefined> {
  if (demoScript === undefined) return undefined;
  try {
    return await readFile(demoScript, 'utf8');
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', 'agent.demoScript names a file that cannot be read', { cause });
  }
}
