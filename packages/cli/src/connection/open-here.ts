import { existsSync } from 'node:fs';
import type { PluginsConfig } from '@ravi/host';
import { findInstallation, guideWarning, openMonolith, recoverRuns, ruleWarning, tokens } from '@ravi/monolith';
import type { InstallationOptions } from '@ravi/monolith';
import { KernelError } from '@ravi/kernel';
import type { LogFields, Logger } from '@ravi/kernel';
import { everything, nothing, warnOfEverything } from '../approve.ts';
import type { ApprovalMode } from '../approve.ts';
import type { Terminal } from '../terminal.ts';
import { createConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import { visible } from '../render/visible.ts';

/** Options of {@link openHere}. */
export interface OpenHereOptions {
  readonly config: string | undefined;
  /** True if calls may need a decision. */
  readonly decides: boolean;
  readonly approve: ApprovalMode | undefined;
  /** True for a command that stays open and resumes runs like a server. A short command must not take over runs. */
  readonly recovers?: boolean;
  /** True for a command that creates nothing where there is neither a configuration nor a data folder. */
  readonly needsInstallation?: boolean;
  /** Part of the configuration whose warnings the command prints itself. */
  readonly showsWarningsOf?: WarningSubject | undefined;
}

/** Part of a configuration that has warnings. */
export type WarningSubject = 'agents' | 'skills';

/**
 * Opens the installation in this process, like a server that does not listen.
 * @throws KernelError `E_USAGE` if there is no installation and the command needs one, and as `openMonolith`
 */
export async function openHere(
  {
    config: configPath,
    decides,
    approve,
    recovers = false,
    needsInstallation = false,
    showsWarningsOf,
  }: OpenHereOptions,
  terminal: Terminal,
): Promise<Connection> {
  const { env, cwd, warn } = terminal;
  const where = { configPath, cwd, env, isServer: true, ignoresTokens: true };
  if (needsInstallation) await checkInstallation(where);
  const plugins = decides ? await approvalsHere(where, approve, terminal) : {};
  const monolith = await openMonolith({ ...where, plugins, logger: createTextLogger(warn, showsWarningsOf) });
  const recovery = recovers ? recoverRuns(monolith) : undefined;
  const app = monolith.container.resolve(tokens.httpApp);
  return createConnection({
    url: 'http://localhost',
    isEmbedded: true,
    async fetch(request) {
      // Without a socket nothing else sets it.
      request.headers.set('host', 'localhost');
      return app.fetch(request);
    },
    onToolsChanged: (listener) => monolith.container.resolve(tokens.toolbox).onChange(listener),
    async close() {
      recovery?.stop();
      await monolith[Symbol.asyncDispose]();
      await recovery?.[Symbol.asyncDispose]();
    },
  });
}

/** Looks at the folder before anything is opened, because opening creates the data folder. @throws KernelError `E_USAGE` */
async function checkInstallation(where: InstallationOptions): Promise<void> {
  const { configPath, dataFolder } = await findInstallation(where);
  if (configPath !== undefined || existsSync(dataFolder)) return;
  const message = `There is no installation in ${where.cwd}: no ravi.config.json or ravi.config.ts, and no data in ${dataFolder}. Go to its folder, or name it with --config <file>, or its server with --server <url>`;
  throw new KernelError('E_USAGE', message);
}

/**
 * Returns the plugin that decides in this process: the one of the mode, else the configured one, else the terminal.
 * Without a terminal every call that needs approval is denied.
 */
async function approvalsHere(
  where: InstallationOptions,
  mode: ApprovalMode | undefined,
  terminal: Terminal,
): Promise<PluginsConfig> {
  warnOfEverything(mode, terminal);
  if (mode === 'auto') return { approvalHandler: { use: '@ravi/approval-auto', ...everything } };
  if (mode === 'deny') return { approvalHandler: { use: '@ravi/approval-auto', ...nothing } };
  if (mode === 'cli') return { approvalHandler: { use: '@ravi/approval-cli' } };
  const { config } = await findInstallation(where);
  if (config.plugins.approvalHandler !== undefined) return {};
  return approvalsHere(where, terminal.isInteractive ? 'cli' : 'deny', terminal);
}

const isAbout: Readonly<Record<WarningSubject, (message: string, fields: LogFields) => boolean>> = {
  agents: (message, { reason }) => message === ruleWarning && /^agents?[.:]/.test(String(reason)),
  skills: (message) => message === guideWarning,
};

/** A logger for people: warnings, without those about `hidden`, and errors as one line each, nothing else. */
function createTextLogger(write: (line: string) => void, hidden: WarningSubject | undefined): Logger {
  const line = (level: string, message: string, fields: LogFields = {}): void => {
    const details = Object.entries(fields).map(([name, value]) => `${name}: ${textOf(value)}`);
    write(visible([`${level}: ${message}`, ...details].join(', ')));
  };
  return {
    debug() {},
    info() {},
    warn(message, fields = {}) {
      if (hidden === undefined || !isAbout[hidden](message, fields)) line('warning', message, fields);
    },
    error: (message, fields) => line('error', message, fields),
  };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  if (value instanceof Error) return value.message;
  if (typeof value !== 'object' || value === null) return String(value);
  // Fields of a field, such as counts.
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join(' ');
}
