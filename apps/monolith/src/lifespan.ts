import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import type { Toolbox } from '@ravi/invoker';
import {
  createDiscoveryTools,
  createFolderSnippetStore,
  createFolderToolSource,
  createPreflight,
  createSnippetToolSource,
  createToolChainTool,
} from '@ravi/capabilities';
import type { Preflight } from '@ravi/capabilities';
import type { OpenedPlugins, ResolvedConfig } from '@ravi/host';
import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock, Logger, StateStore, ToolSource } from '@ravi/kernel';
import type { DependencyContainer } from 'tsyringe';
import { createCallerApprovals } from './access/caller-approvals.ts';
import type { CallerApprovalsOptions } from './access/caller-approvals.ts';
import { createAccess } from './access/access.ts';
import { readTokens } from './access/known-tokens.ts';
import type { OpenedServices } from './container.ts';
import { createContainer } from './container.ts';
import { loadDigestKey } from './digest-key.ts';
import { findInstallation, openInstalledPlugins } from './installation.ts';
import type { InstallationOptions } from './installation.ts';
import { loadSkills } from './tools/load-skills.ts';
import { loadTools } from './tools/load-tools.ts';
import { knownSecrets } from './logging/known-secrets.ts';
import { logRuns } from './logging/log-runs.ts';
import { openLog } from './logging/open-log.ts';
import type { LogSource } from './logging/open-log.ts';
import { createRedactor } from './logging/redactor.ts';
import type { ToolReport } from './tools/load-tools.ts';
import { chooseModel } from './model/choose-model.ts';
import { openExporters } from './observability/open-exporters.ts';
import type { TelemetryProviders } from './observability/telemetry-providers.ts';
import { startRetention } from './maintenance/retention.ts';
import { startSweeper } from './maintenance/sweeper.ts';
import { tokens } from './tokens.ts';

/** What a process is opened with. */
export interface MonolithOptions extends InstallationOptions {
  readonly clock?: Clock;
  /** Silent when absent. */
  readonly logger?: LogSource;
  /**
   * Where spans and measurements go, beside a context manager that is the caller's business; when absent, the collector
   * that the environment or the configuration names.
   */
  readonly telemetryProviders?: TelemetryProviders;
}

/** An open process. Disposing it ends everything in reverse order of opening: running calls first, plugins last. */
export interface Monolith extends AsyncDisposable {
  /** Resolves each of the {@link tokens}. */
  readonly container: DependencyContainer;
  /** Ends every run at once with status `cancelled`; no further one starts. */
  cancelRuns(): void;
}

const sweepIntervalMs = 600_000;
const builtIn = 'built-in';

/** A found installation leaves none of these ports empty. */
type FilledPorts = OpenedPlugins & Required<Pick<OpenedPlugins, 'blobStore' | 'sandbox'>>;

/**
 * Opens everything that a server, the command line and an example share: configuration, plugins, digest key, container,
 * tools, sweeper. What was opened before a failure is ended.
 * @throws KernelError `E_CONFIG_INVALID`, `E_PLUGIN_NOT_FOUND`, `E_PLUGIN_INVALID`, `E_TOOL_NAME_CONFLICT`, or a plugin's own
 */
export async function openMonolith(options: MonolithOptions): Promise<Monolith> {
  const { clock = systemClock, env } = options;
  const { config, baseDir, dataFolder } = await findInstallation(options);
  const redactor = createRedactor(await knownSecrets(config, { env, baseDir }));
  const logger = openLog(options.logger, { ...config.logging, env, redactor });
  const digestKey = await loadDigestKey(dataFolder);

  await using opening = new AsyncDisposableStack();
  // First, so that what the others do at their end is told too.
  const { endpoint } = config.telemetry;
  const telemetryProviders = options.telemetryProviders ?? opening.use(await openExporters({ endpoint, env, logger }));
  const plugins = opening.use(await openInstalledPlugins(config.plugins, { baseDir, clock, logger }));
  const { toolSource, blobStore, sandbox, stateStore } = plugins as FilledPorts;
  const known = await readTokens(config.server.tokens ?? [], { env: options.env, baseDir });
  const { requestsPerMinute } = config.server;
  const access = createAccess({
    tokens: known,
    clock,
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
  });
  const approvals = approvalsOf(plugins, {
    callers: access.callers,
    allowedHosts: config.server.allowedHosts ?? [],
    clock,
    logger,
  });
  opening.use(approvals.callerApprovals?.handler);
  const model = plugins.modelProvider[0] ?? chooseModel(options.env, { script: await demoScriptOf(config) });
  const snippetStore = createFolderSnippetStore(join(dataFolder, 'snippets'));
  const skills = await loadSkills(config.skills, { baseDir, logger });
  const preflight = config.chains.preflight && opening.use(createPreflight({ clock }));
  const lifetime = new AbortController();
  const cancelRuns = (): void => lifetime.abort(new KernelError('E_CANCELLED', 'The process is shutting down'));
  opening.defer(cancelRuns);

  const container = createContainer({
    config,
    clock,
    logger,
    redactor,
    digestKey,
    hostPaths: [baseDir, dataFolder, options.cwd, homedir()],
    lifetime: lifetime.signal,
    blobStore,
    sandbox,
    preflight,
    model,
    snippetStore,
    skills,
    access,
    ...approvals,
    ...(stateStore === undefined ? {} : { stateStore }),
    ...(telemetryProviders === undefined ? {} : { telemetryProviders }),
  });
  logRuns(container.resolve(tokens.hooks), logger);
  if (telemetryProviders !== undefined) opening.use(container.resolve(tokens.telemetry));

  const toolbox = container.resolve(tokens.toolbox);
  const folders = config.tools.map((folder) =>
    createFolderToolSource(folder, { name: relative(baseDir, folder) || '.' }),
  );
  const invoker = container.resolve(tokens.invoker);
  const snippets = createSnippetToolSource({ store: snippetStore, invoker, sandbox, preflight });
  const sources = [...folders, ...toolSource, snippets, discoverySource(toolbox)];
  const toolReport = await loadTools(toolbox, { sources, signal: lifetime.signal });
  container.register(tokens.toolReport, { useValue: toolReport });
  warnAbout(toolReport, logger);
  // Last, because its description shows the others.
  toolbox.add(createToolChainTool({ invoker, sandbox, preflight }), { source: builtIn });

  // The first script would wait for it; nothing else does.
  if (preflight !== false) void warm(preflight, lifetime.signal, logger);
  if (stateStore !== undefined) {
    const recorder = opening.use(container.resolve(tokens.recorder));
    const chains = opening.use(container.resolve(tokens.durableChains));
    opening.use(container.resolve(tokens.agentRunner));
    // The process that ends leaves its durable runs as they are.
    lifetime.signal.addEventListener('abort', () => void chains[Symbol.asyncDispose](), { once: true });
    const { retention } = config;
    if (retention !== undefined) {
      opening.use(startRetention({ store: stateStore, recorder, clock, logger, ...retention }));
    }
  }
  opening.use(await startSweeper({ blobStore, clock, logger, intervalMs: sweepIntervalMs }));
  const opened = opening.move();
  return { container, cancelRuns, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

// Where nothing else was configured there is a state store, and callers answer over HTTP.
function approvalsOf(
  { approvalHandler, stateStore }: OpenedPlugins,
  options: Omit<CallerApprovalsOptions, 'store'>,
): Pick<OpenedServices, 'approvalHandler' | 'callerApprovals'> {
  if (approvalHandler !== undefined) return { approvalHandler };
  const { approvals: store } = stateStore as StateStore;
  const callerApprovals = createCallerApprovals({ ...options, store });
  return { approvalHandler: callerApprovals.handler, callerApprovals };
}

async function demoScriptOf({ agent }: ResolvedConfig): Promise<string | undefined> {
  if (agent.demoScript === undefined) return undefined;
  try {
    return await readFile(agent.demoScript, 'utf8');
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', 'agent.demoScript names a file that cannot be read', { cause });
  }
}

async function warm(preflight: Preflight, lifetime: AbortSignal, logger: Logger): Promise<void> {
  const isReady = await preflight.warm();
  if (!isReady && !lifetime.aborted) logger.warn('scripts run without a check: it cannot start');
}

// A tool of the same name from elsewhere stays, and the report names the one that gave way.
function discoverySource(toolbox: Toolbox): ToolSource {
  return { name: builtIn, load: async () => ({ tools: createDiscoveryTools(toolbox), failures: [] }) };
}

function warnAbout({ undeclaredRisk, failures }: ToolReport, logger: Logger): void {
  for (const { message: reason, ...where } of failures) logger.warn('a tool could not be loaded', { ...where, reason });
  if (undeclaredRisk.length > 0) logger.warn('tools declare no risk', { tools: undeclaredRisk });
}
