import { KernelError, isKernelError } from '@ravi/kernel';
import type {
  Clock,
  ModelAccess,
  ModelProvider,
  Plugin,
  PluginContext,
  PortName,
  Ports,
  Sandbox,
  SecretStore,
  StateStore,
  TriggerAccess,
} from '@ravi/kernel';
import { composeSandboxes, limitModel, withStream } from '@ravi/support';
import type { ModelLimits } from '@ravi/support';
import { compileSchema } from './compile-schema.ts';
import type { Check } from './compile-schema.ts';
import type { PluginEntry, PluginsConfig, ListPort, SinglePort } from './config.ts';
import { extensionProblem } from './extension-members.ts';
import { createLifetime } from './lifetime.ts';
import { invalidPlugin, loadPlugin } from './load-plugin.ts';
import type { PluginRequest } from './load-plugin.ts';
import { sourceWithoutVariables, withEnvironment } from './environment-values.ts';
import type { CompletedOptions, Environment } from './environment-values.ts';
import { messageOf } from './describe-error.ts';
import { pluginPorts } from './config.ts';
import { copyOf, invalidConfig } from './resolve-config.ts';

/** Options of {@link openPlugins}. */
export interface OpenPluginsOptions extends Omit<PluginContext, 'stateStore' | 'secrets' | 'models' | 'triggers'> {
  /** Absolute folder from which packages are resolved that are missing in the configuration's folder. */
  readonly fallbackBaseDir?: string;
  /** Returns the encrypted values in the state store for the other plugins. Without it they get none. */
  readonly secretsIn?: (stateStore: StateStore) => Promise<SecretStore | undefined>;
  /** Returns the store that plugins and the program use in place of the one that its plugin has created. */
  readonly configureState?: (stateStore: StateStore) => StateStore;
  /** Models that sources may ask if the configuration has none. */
  readonly otherModels?: readonly ModelProvider[];
  /** Triggers for tool sources. They get it only if there is a state store. */
  readonly triggers?: TriggerAccess | undefined;
  /** Variables that options take values from, as `{ "$env": "NAME" }`. None when absent. */
  readonly env?: Environment;
}

/**
 * Opened plugins by port; a port that `Config` always fills is always there. Disposing it disposes every plugin, the last
 * opened first.
 */
export type OpenedPlugins<Config extends PluginsConfig = PluginsConfig> = {
  readonly [Port in SinglePort]?: Ports[Port];
} & {
  readonly [
    Port in SinglePort as Config extends Readonly<Record<Port, PluginEntry | readonly PluginEntry[]>> ? Port : never
  ]: Ports[Port];
} & {
  readonly [Port in ListPort]: readonly Ports[Port][];
} & AsyncDisposable;

/**
 * Opens all plugins of a configuration, one after the other. If one fails, those before it are disposed. A tool source whose
 * options name a variable that is not set becomes a source that cannot be opened: the others do not need it.
 * @throws KernelError `E_PLUGIN_NOT_FOUND`, `E_PLUGIN_INVALID`, `E_CONFIG_INVALID` for invalid options, or the plugin's own
 * code. Disposing the result tries every plugin, then throws an `AggregateError` if one failed
 */
export async function openPlugins<Config extends PluginsConfig>(
  { plugins }: { readonly plugins: Config },
  { fallbackBaseDir, secretsIn, configureState, otherModels = [], triggers, env = {}, ...context }: OpenPluginsOptions,
): Promise<OpenedPlugins<Config>> {
  const lifetime = createLifetime();
  const opened: OpenedPlugin[] = [];
  let sandbox: Sandbox | undefined;
  try {
    for (const { entry, ...where } of entriesOf(plugins)) {
      const value = await openPlugin(
        { ...where, use: entry.use, baseDir: context.baseDir, fallbackBaseDir },
        withEnvironment(optionsOf(entry, where), where.place, env),
        await contextFor(where.port, context, opened, { secretsIn, otherModels, triggers }),
      );
      lifetime.add(`${where.place} (${entry.use})`, value);
      const configured =
        where.port === 'stateStore'
          ? (configureState?.(value as StateStore) ?? value)
          : asConfigured(value, where.port, entry, context.clock);
      opened.push({ port: where.port, value: configured });
    }
    sandbox = sandboxOf(opened);
  } catch (error) {
    for (const failure of await lifetime.end()) context.logger.error(failure.message, { cause: failure.cause });
    throw error;
  }

  const valuesOf = (port: PortName): unknown[] => opened.filter((one) => one.port === port).map((one) => one.value);
  const ports = Object.entries(pluginPorts).map(([port, count]) => {
    const values = valuesOf(port as PortName);
    if (count === 'composed') return [port, sandbox] as const;
    return [port, count === 'list' ? values : values[0]] as const;
  });
  return {
    ...(Object.fromEntries(ports.filter(([, value]) => value !== undefined)) as OpenedPlugins<Config>),
    async [Symbol.asyncDispose]() {
      const failures = await lifetime.end();
      if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
    },
  };
}

/** Returns the one sandbox of all that are opened. @throws KernelError `E_CONFIG_INVALID` if one of them is not needed */
function sandboxOf(opened: readonly OpenedPlugin[]): Sandbox | undefined {
  const [first, ...others] = opened.flatMap(({ port, value }) => (port === 'sandbox' ? [value as Sandbox] : []));
  if (first === undefined) return undefined;
  try {
    return composeSandboxes([first, ...others]);
  } catch (error) {
    throw invalidConfig('plugins.sandbox', [messageOf(error)]);
  }
}

interface OpenedPlugin {
  readonly port: PortName;
  readonly value: unknown;
}

async function contextFor(
  port: PortName,
  context: PluginContext,
  opened: readonly OpenedPlugin[],
  {
    secretsIn,
    otherModels,
    triggers,
  }: {
    readonly secretsIn: OpenPluginsOptions['secretsIn'];
    readonly otherModels: readonly ModelProvider[];
    readonly triggers: TriggerAccess | undefined;
  },
): Promise<PluginContext> {
  const isSource = port === 'toolSource';
  const models = isSource ? { models: modelAccess(opened, otherModels) } : {};
  const stateStore = opened.find((one) => one.port === 'stateStore')?.value as StateStore | undefined;
  if (stateStore === undefined) return { ...context, ...models };
  const secrets = await secretsIn?.(stateStore);
  return {
    ...context,
    ...models,
    stateStore,
    ...(secrets === undefined ? {} : { secrets }),
    ...(isSource && triggers !== undefined ? { triggers } : {}),
  };
}

// The first of several with the same name is the one that agents ask first, too.
function modelAccess(opened: readonly OpenedPlugin[], others: readonly ModelProvider[]): ModelAccess {
  const configured = opened.filter(({ port }) => port === 'modelProvider').map(({ value }) => value as ModelProvider);
  const providers = configured.length > 0 ? configured : others;
  const nameOfModel = ({ model, id }: ModelProvider): string => model ?? id;
  return {
    names: [...new Set(providers.map(nameOfModel))],
    find: (name) => providers.find((provider) => nameOfModel(provider) === name),
  };
}

interface PlacedEntry {
  readonly place: string;
  readonly port: PortName;
  readonly entry: PluginEntry;
}

function entriesOf(plugins: PluginsConfig): readonly PlacedEntry[] {
  return (Object.keys(pluginPorts) as PortName[]).flatMap((port): readonly PlacedEntry[] => {
    const configured = plugins[port];
    if (configured === undefined) return [];
    if (!isList(configured)) return [{ port, entry: configured, place: `plugins.${port}` }];
    return configured.map((entry, index) => ({ port, entry, place: `plugins.${port}[${index}]` }));
  });
}

function isList(configured: PluginEntry | readonly PluginEntry[]): configured is readonly PluginEntry[] {
  return Array.isArray(configured);
}

function optionsOf({ use: _use, ...given }: PluginEntry, { place, port }: Omit<PlacedEntry, 'entry'>): unknown {
  if (port !== 'modelProvider') return copyOf(given, place);
  const { limits: _limits, contextTokens: _tokens, ...options } = given;
  return copyOf(options, place);
}

// The host holds every model to its limits, for agents and for sources, and knows what the operator says about it.
function asConfigured(value: unknown, port: PortName, entry: PluginEntry, clock: Clock): unknown {
  if (port !== 'modelProvider') return value;
  const { limits, contextTokens } = entry as { readonly limits?: ModelLimits; readonly contextTokens?: number };
  const model = value as ModelProvider;
  const sized =
    contextTokens === undefined
      ? model
      : { ...withStream(model, (...asked) => model.stream(...asked)), contextTokens: () => contextTokens };
  return limits === undefined ? sized : limitModel(sized, limits, clock);
}

async function openPlugin(
  request: PluginRequest,
  { options, mistakes: written, missing }: CompletedOptions,
  context: PluginContext,
): Promise<unknown> {
  const plugin = await loadPlugin(request);
  if (request.port === 'toolSource' && written.length === 0 && missing.length > 0) {
    return sourceWithoutVariables(nameOf(options) ?? request.place, missing);
  }
  const wrong = [...written, ...missing];
  const mistakes = wrong.length > 0 ? wrong : checkOf(plugin, request)(options, request.place);
  if (mistakes.length > 0) throw invalidConfig(request.use, mistakes);
  let value: unknown;
  try {
    value = await plugin.create(options, context);
  } catch (cause) {
    const code = isKernelError(cause) ? cause.code : 'E_PLUGIN_INVALID';
    throw new KernelError(code, `${request.place}: the plugin ${request.use} did not start: ${messageOf(cause)}`, {
      cause,
      ...(isKernelError(cause) ? { retryable: cause.retryable } : {}),
    });
  }
  if (typeof value !== 'object' || value === null) throw invalidPlugin(request, 'returned nothing from create');
  const problem = extensionProblem(request.port, value);
  if (problem !== undefined) throw invalidPlugin(request, problem);
  context.logger.debug('Plugin opened', { plugin: plugin.name, port: plugin.port, use: request.use });
  return value;
}

function nameOf(options: unknown): string | undefined {
  const { name } = options as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function checkOf(plugin: Plugin, request: PluginRequest): Check {
  try {
    return compileSchema(plugin.configSchema);
  } catch (cause) {
    throw invalidPlugin(request, `has a configSchema that is not valid: ${messageOf(cause)}`, cause);
  }
}
