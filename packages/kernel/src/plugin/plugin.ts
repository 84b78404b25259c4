import type { ApprovalHandler } from '../approval/approval.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonSchema } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { ModelProvider } from '../model/model-provider.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { StateStore } from '../state/state-store.ts';
import type { ToolSource } from '../tool/tool-source.ts';

/** The ports that plugins fill, by the key that configuration uses. */
export interface Ports {
  blobStore: BlobStore;
  approvalHandler: ApprovalHandler;
  sandbox: Sandbox;
  stateStore: StateStore;
  modelProvider: ModelProvider;
  toolSource: ToolSource;
}

/** Name of a port. */
export type PortName = keyof Ports;

/** What the host gives a plugin. */
export interface PluginContext {
  /** The folder of the configuration file: relative paths in options mean it. */
  readonly baseDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The state store of the configuration, opened before every other plugin; absent when it names none. */
  readonly stateStore?: StateStore;
}

/** One adapter: the default export of its package. */
export interface Plugin<Port extends PortName = PortName, Options = unknown> {
  readonly name: string;
  readonly port: Port;
  /** Of the options beside `use`; defaults live here and nowhere else. */
  readonly configSchema: JsonSchema;
  /** A result with `[Symbol.asyncDispose]` is disposed by the host, in reverse order of creation. */
  create(options: Options, context: PluginContext): Ports[Port] | Promise<Ports[Port]>;
}

/** Types a plugin; returns it unchanged. */
export function definePlugin<Port extends PortName, Options>(plugin: Plugin<Port, Options>): Plugin<Port, Options> {
  return plugin;
}
