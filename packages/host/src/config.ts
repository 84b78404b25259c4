import type { ChainPolicy } from '@ravi/kernel';
import type { ListPort, SinglePort } from './plugin-ports.ts';

/** One plugin in a configuration: where it is, and its options beside that. */
export interface PluginEntry {
  /** A package name, or a path from the configuration's folder that starts with `./` or `../`. Never a URL. */
  readonly use: string;
  readonly [option: string]: unknown;
}

/** The plugins of a configuration, by the port they fill. */
export type PluginsConfig = { readonly [Port in SinglePort]?: PluginEntry } & {
  readonly [Port in ListPort]?: readonly PluginEntry[];
};

/** A configuration as somebody writes it. Relative paths mean the configuration's folder. */
export interface RaviConfig {
  readonly server?: { readonly host?: string; readonly port?: number };
  readonly policy?: Partial<ChainPolicy>;
  /**
   * `preflight: false` runs scripts without checking them first. `approvals` is what a script does that waits for a human,
   * where there is a state store: it waits for as long as the policy says, or is stored and goes on with the answer.
   */
  readonly chains?: { readonly preflight?: boolean; readonly approvals?: 'wait' | 'pause' };
  /** The agent of a server. `demoScript` is the file that its scripted model runs where no key of a provider is set. */
  readonly agent?: { readonly system?: string; readonly maxSteps?: number; readonly demoScript?: string };
  /** Folders of files that default-export tools. */
  readonly tools?: readonly string[];
  readonly plugins?: PluginsConfig;
}

/** A configuration that was checked and completed with the defaults. */
export interface ResolvedConfig {
  readonly server: { readonly host: string; readonly port: number };
  readonly policy: ChainPolicy;
  readonly chains: { readonly preflight: boolean; readonly approvals: 'wait' | 'pause' };
  /** `demoScript` is an absolute path. */
  readonly agent: { readonly system?: string; readonly maxSteps?: number; readonly demoScript?: string };
  /** Absolute paths. */
  readonly tools: readonly string[];
  /** As written: each plugin's schema checks its options when it is opened. */
  readonly plugins: PluginsConfig;
}

/** Types a configuration in TypeScript; returns it unchanged. */
export function defineConfig(config: RaviConfig): RaviConfig {
  return config;
}
