import type { Preflight } from '@ravi/capabilities';
import type { ResolvedConfig } from '@ravi/host';
import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock, Logger } from '@ravi/kernel';
import type { DependencyContainer } from 'tsyringe';
import { createContainer, partsOf } from './container.ts';
import { findInstallation } from './installation.ts';
import type { InstallationOptions } from './installation.ts';
import { createInstallationKey } from './installation-key.ts';
import { logRuns } from './logging/log-runs.ts';
import type { LogSource } from './logging/server-log.ts';
import { startCancellationWatch } from './runs/cancellation-watch.ts';
import { startMaintenance } from './maintenance/maintenance.ts';
import { repeat } from './maintenance/repeat.ts';
import type { TelemetryProviders } from './observability/open-exporters.ts';
import { openAdapters } from './open-adapters.ts';
import { openConfiguration } from './open-configuration.ts';
import { builtInSource } from './sources/built-in-tools.ts';
import type { ToolReport } from './sources/tool-sources.ts';
import { guideWarning, guideWarnings } from './reload/guide-warnings.ts';
import type { Parts } from './tokens.ts';
import { createPluginTriggers } from './triggers/trigger-access.ts';
import { ruleWarning, ruleWarnings } from './access/rule-warnings.ts';

/** Options of {@link openMonolith}. */
export interface MonolithOptions extends InstallationOptions {
  readonly clock?: Clock;
  /** Silent when absent. */
  readonly logger?: LogSource;
  /**
   * Receivers of spans and measurements; the caller sets up the context manager. Default: the collector that the
   * environment or the configuration names.
   */
  readonly telemetryProviders?: TelemetryProviders;
  /** True to accept a state store or a digest key that differs from those of earlier starts. */
  readonly adoptState?: boolean | undefined;
}

/** An open process. Disposing it ends everything in reverse order of opening: running calls first, plugins last. */
export interface Monolith extends AsyncDisposable {
  /** Resolves each of the `tokens`. */
  readonly container: DependencyContainer;
  /** Tools that are offered and those that could not be loaded, at this moment. */
  readonly toolReport: ToolReport;
  /** Rules of the configuration about tools that have no effect at this moment. */
  readonly ruleWarnings: readonly string[];
  /** Ends every run at once with status `cancelled`; no further run starts. */
  cancelRuns(): void;
}

/** Time after which the agent has the snippets that other servers have saved. */
const snippetIntervalMs = 5_000;

/**
 * Opens everything that a server, the command line and an example share: configuration, adapters, services, tools and
 * maintenance. If something fails to open, everything opened before it is disposed.
 * @throws KernelError `E_CONFIG_INVALID`, `E_PLUGIN_NOT_FOUND`, `E_PLUGIN_INVALID`, `E_TOOL_NAME_CONFLICT`, or a plugin's own
 */
export async function openMonolith(options: MonolithOptions): Promise<Monolith> {
  const { clock = systemClock, env, cwd, logger, telemetryProviders } = options;
  const lifetime = new AbortController();
  const cancelRuns = (): void => lifetime.abort(new KernelError('E_CANCELLED', 'The process is shutting down'));
  await using opening = new AsyncDisposableStack();

  const installation = await findInstallation(options);
  const { signal } = lifetime;
  const again = { ...options, configPath: installation.configPath ?? options.configPath, isReload: true };
  const readAgain = async (): Promise<ResolvedConfig> => (await findInstallation(again)).config;
  const configuration = await openConfiguration({ installation, readAgain, cwd, env, clock, logger, lifetime: signal });
  const triggers = createPluginTriggers();
  // A short command does not decide which state belongs to the installation.
  const claimsState = options.isServer === true;
  const digestKeyFor = createInstallationKey({
    dataFolder: installation.dataFolder,
    env,
    logger: configuration.logger,
    claimsState,
    adopt: options.adoptState === true,
  });
  const { toolSources, ...adapters } = await openAdapters({
    installation,
    configuration,
    env,
    telemetryProviders,
    triggers: triggers.access,
    claimsState,
    digestKeyFor,
    opening,
  });
  const container = createContainer({ ...configuration, ...adapters });
  const parts = partsOf(container);
  // After the runs that call their tools.
  const sources = opening.use(parts.toolSources);
  opening.defer(cancelRuns);
  opening.defer(() => parts.callerApprovals?.streams.close());
  opening.defer(() => parts.mcpEndpoint[Symbol.asyncDispose]());
  logRuns(parts.hooks, parts.logger);
  opening.use(parts.telemetry);
  await sources.open(installation, toolSources);
  logReport(sources.report, parts.logger);
  if (parts.preflight !== false) void warm(parts.preflight, parts.lifetime, parts.logger);
  openDurable(parts, opening);
  if (parts.triggers !== undefined) triggers.connect(parts.triggers.service.access);
  // After the agents, which can be tools too.
  for (const reason of guideWarnings(parts.guides, parts.toolbox)) parts.logger.warn(guideWarning, { reason });
  for (const reason of ruleWarnings(parts)) parts.logger.warn(ruleWarning, { reason });
  opening.use(startMaintenance(parts));

  const opened = opening.move();
  return {
    container,
    get toolReport() {
      return sources.report;
    },
    get ruleWarnings() {
      return ruleWarnings(parts);
    },
    cancelRuns,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

// Each source logs its own failures.
function logReport({ undeclaredRisk, failures }: ToolReport, logger: Logger): void {
  for (const { message: reason, ...where } of failures) {
    if (where.source === builtInSource) logger.warn('a tool could not be loaded', { ...where, reason });
  }
  if (undeclaredRisk.length > 0) logger.warn('tools declare no risk', { tools: undeclaredRisk });
}

// The first script would wait for it; nothing else does.
async function warm(preflight: Preflight, lifetime: AbortSignal, logger: Logger): Promise<void> {
  const isReady = await preflight.warm();
  if (!isReady && !lifetime.aborted) logger.warn('scripts run without a check: it cannot start');
}

function openDurable(
  { durable, config, lifetime, snippetTools, clock, logger }: Parts,
  opening: AsyncDisposableStack,
): void {
  if (durable === undefined) return;
  const { store, process, recorder, chains, agentRunner, runs } = durable;
  // Callers with access tokens run their snippets by name; those of other servers are not tools here.
  if (config.server.tokens.length === 0) {
    const failure = 'the snippets of other servers could not be read';
    opening.use(repeat({ work: () => snippetTools.update(), failure, intervalMs: snippetIntervalMs, clock, logger }));
  }
  opening.use(process);
  opening.use(recorder);
  opening.use(chains);
  opening.use(agentRunner);
  const isBusy = (): boolean => agentRunner.active + chains.active > 0;
  opening.use(startCancellationWatch({ store, service: runs, owner: process.id, isBusy, clock, logger }));
  // Durable runs are left as they are for the next process.
  lifetime.addEventListener('abort', () => void chains[Symbol.asyncDispose](), { once: true });
}
