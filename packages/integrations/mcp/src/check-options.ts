import { statSync } from 'node:fs';
import { KernelError } from '@ravi/kernel';
import { createRiskRule, createToolFilter, createToolMatcher, unusedPatterns } from '@ravi/source-kit';
import type { RiskRule, UnusedPattern } from '@ravi/source-kit';
import { defaultLimits } from './options.ts';
import type { McpLimits, McpServerOptions } from './options.ts';

const namePattern = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,39}$/;
const headerPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Options after every check, with their defaults and rules. */
export interface CheckedOptions {
  readonly name: string;
  readonly server: McpServerOptions;
  readonly limits: McpLimits;
  readonly offers: (tool: string) => boolean;
  readonly riskOf: RiskRule;
  readonly runsInBackground: (tool: string) => boolean;
  /** Returns the patterns that match none of the tools that the server lists. */
  readonly unusedPatterns: (tools: readonly string[]) => readonly UnusedPattern[];
}

/** Checks options. @throws KernelError `E_CONFIG_INVALID` */
export function checkOptions(server: McpServerOptions): CheckedOptions {
  const { name } = server;
  if (!namePattern.test(name)) {
    throw invalid(name, 'its name must have 1 to 40 letters, digits, ".", "_" or "-", and start with a letter or "_"');
  }
  if (server.url === undefined) checkCommand(server);
  else checkAddress(server);
  const of = { kind: 'mcp', source: name };
  const { allow, deny, background, risk } = server;
  const lists = { allow, deny, background, risk: Object.keys(risk ?? {}) };
  return {
    name,
    server,
    limits: { ...defaultLimits, ...server.limits },
    offers: createToolFilter({ ...of, allow: server.allow, deny: server.deny }),
    riskOf: createRiskRule({ ...of, isTrusted: server.trust === true, overrides: server.risk }),
    runsInBackground: createToolMatcher(server.background ?? [], of),
    unusedPatterns: (tools) => unusedPatterns(lists, of, tools),
  };
}

function checkCommand({ name, command, cwd }: Extract<McpServerOptions, { command: string }>): void {
  if (typeof command !== 'string' || command === '') throw invalid(name, 'it has neither a command nor a url');
  if (cwd === undefined) return;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw invalid(name, `its cwd ${JSON.stringify(cwd)} is not a folder`);
}

function checkAddress({ name, url, headers = {}, command }: Extract<McpServerOptions, { url: string }>): void {
  if (command !== undefined) throw invalid(name, 'it has a command and a url; one of them is enough');
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw invalid(name, 'its url is not an address of http or https');
  if (address.username !== '' || address.password !== '')
    throw invalid(name, 'its url contains credentials; use headers');
  for (const [header, value] of Object.entries(headers)) {
    if (!headerPattern.test(header) || /[\r\n\0]/.test(value))
      throw invalid(name, `its header ${JSON.stringify(header)} is not valid`);
  }
}

function invalid(name: string, problem: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', `The MCP server ${JSON.stringify(name)}: ${problem}`);
}
