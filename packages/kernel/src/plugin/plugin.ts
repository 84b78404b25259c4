import type { ApprovalHandler } from '../approval/approval.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonSchema } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { RunEngine } from '../engine/run-engine.ts';
import type { ModelProvider } from '../model/model-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { StateStore } from '../state/state-store.ts';
import type { SecretStore } from '../state/value-store.ts';
import type { ToolSource } from '../tool/tool-source.ts';
import type { Guardrail } from './guardrail.ts';
import type { HistoryView } from './history-view.ts';
import type { Interceptor } from './interceptor.ts';
import type { RunMiddleware } from './run-middleware.ts';
import type { TriggerAccess } from './trigger-access.ts';

/** Ports that plugins implement, by their key in the configuration. */
export interface Ports {
  blobStore: BlobStore;
  approvalHandler: ApprovalHandler;
  sandbox: Sandbox;
  stateStore: StateStore;
  runEngine: RunEngine;
  modelProvider: ModelProvider;
  toolSource: ToolSource;
  interceptor: Interceptor;
  middleware: RunMiddleware;
  guardrail: Guardrail;
  historyView: HistoryView;
}

/** Name of a port. */
export type PortName = keyof Ports;

/** Models of the configuration, for plugins that ask one on behalf of what they connect to. */
export interface ModelAccess {
  /** Names of the models, in the order of the configuration. */
  readonly names: readonly string[];
  /** Returns the model of a name: what its provider is configured with, or the id of a provider without a model. */
  find(name: string): ModelProvider | undefined;
}

/** Context that the host passes to a plugin. */
export interface PluginContext {
  /** Folder of the configuration file. Relative paths in options are resolved against it. */
  readonly baseDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** State store of the configuration, opened before every other plugin. Absent if none is configured. */
  readonly stateStore?: StateStore;
  /** Encrypted values in that state store. Absent without one. */
  readonly secrets?: SecretStore;
  /** Models of the configuration, opened before every tool source. Absent for plugins that are opened before them. */
  readonly models?: ModelAccess;
  /** Triggers of the server, for tool sources. Absent without a state store. */
  readonly triggers?: TriggerAccess;
}

/** Adapter, the default export of its package. */
export interface Plugin<Port extends PortName = PortName, Options = unknown> {
  readonly name: string;
  readonly port: Port;
  /** Schema of the options other than `use`. The only place for defaults. */
  readonly configSchema: JsonSchema;
  /** Creates the adapter. If the result has `[Symbol.asyncDispose]`, the host disposes it, in reverse order of creation. */
  create(options: Options, context: PluginContext): Ports[Port] | Promise<Ports[Port]>;
}

/** Returns the plugin unchanged, with its types inferred. */
export function definePlugin<Port extends PortName, Options>(plugin: Plugin<Port, Options>): Plugin<Port, Options> {
  return plugin;
}
