import { KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { isLoopback } from '@ravi/support';
import type { Invocation } from '../command.ts';

/** Package of the plugin that is a client of MCP servers. */
export const mcpPackage = '@ravi/mcp';

/** Entry of a server in `plugins.toolSource`, and what its user should know. */
export interface ServerEntry {
  readonly entry: JsonObject;
  readonly warnings: readonly string[];
}

// As the plugin checks it.
const namePattern = /^[A-Za-z_][\w.-]{0,39}$/;
const addressPattern = /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+:\d+(?:\/|$)/i;

/** Returns the entry that a command line describes. @throws KernelError `E_USAGE` */
export function serverEntry(
  { values, lists, flags }: Invocation,
  env: Readonly<Record<string, string | undefined>>,
): ServerEntry {
  const { name = '', transport } = values;
  if (!namePattern.test(name)) {
    throw new KernelError(
      'E_USAGE',
      `"${name}" cannot name a server: use 1 to 40 letters, digits, ".", "_" or "-", and start with a letter or "_"`,
    );
  }
  const { program = [], env: variables = [], header: headers = [], allow = [], deny = [] } = lists;
  const [first, ...args] = program;
  if (first === undefined) throw new KernelError('E_USAGE', 'Name an address, or a command after "--"');
  const isAddress = args.length === 0 && /^https?:\/\//i.test(first);
  if (isAddress && variables.length > 0)
    throw new KernelError('E_USAGE', '--env is for a command; an address has --header');
  if (!isAddress && addressPattern.test(first)) {
    const problem = args.length === 0 ? 'begin it with https:// or http://' : `leave out ${args.join(' ')}`;
    throw new KernelError('E_USAGE', `"${first}" looks like an address, which has no arguments: ${problem}`);
  }
  if (!isAddress && (headers.length > 0 || transport !== undefined || flags.has('signIn'))) {
    throw new KernelError('E_USAGE', '--header, --transport and --sign-in are for an address, not for a command');
  }
  const warnings: string[] = [];
  const place = isAddress ? addressOf(first) : { command: first, ...(args.length === 0 ? {} : { args }) };
  const entry: JsonObject = {
    use: mcpPackage,
    name,
    ...place,
    ...(variables.length === 0
      ? {}
      : { env: Object.fromEntries(variables.map((text) => variableOf(text, env, warnings))) }),
    ...(transport === undefined ? {} : { transport }),
    ...(headers.length === 0
      ? {}
      : { headers: Object.fromEntries(headers.map((text) => headerOf(text, env, warnings))) }),
    ...(flags.has('signIn') ? { signIn: {} } : {}),
    ...(flags.has('trust') ? { trust: true } : {}),
    ...(allow.length === 0 ? {} : { allow }),
    ...(deny.length === 0 ? {} : { deny }),
  };
  return { entry, warnings };
}

function addressOf(url: string): JsonObject {
  const parsed = URL.parse(url);
  if (parsed === null) throw new KernelError('E_USAGE', `"${url}" is not an address`);
  // Named by the user on this machine, so it is meant.
  return { url, ...(isLoopback(parsed.hostname) ? { allowPrivateAddresses: true } : {}) };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `NAME` passes a variable on, `NAME=value` sets it. */
function variableOf(text: string, env: Environment, warnings: string[]): readonly [string, JsonValue] {
  const [, name, value] = /^([A-Za-z_]\w*)(?:=([^]*))?$/.exec(text) ?? [];
  if (name === undefined) throw new KernelError('E_USAGE', `--env takes NAME or NAME=value, not "${text}"`);
  if (value === undefined) return [name, fromEnvironment(name, '', env, warnings)];
  warnings.push(
    `The value of ${name} is in the configuration file now. With "--env ${name}" it stays in the environment.`,
  );
  return [name, value];
}

/** `Name=value`; a value that ends with `${VARIABLE}` takes it from the environment. */
function headerOf(text: string, env: Environment, warnings: string[]): readonly [string, JsonValue] {
  const [, name, value = ''] = /^([\w!#$%&'*+.^`|~-]+)=([^\r\n]*)$/.exec(text) ?? [];
  if (name === undefined) throw new KernelError('E_USAGE', `--header takes Name=value, not "${text}"`);
  const [, prefix = '', variable] = /^([^]*)\$\{([A-Za-z_]\w*)\}$/.exec(value) ?? [];
  if (variable !== undefined) return [name, fromEnvironment(variable, prefix, env, warnings)];
  warnings.push(
    `The value of the header ${name} is in the configuration file now. With '\${VARIABLE}' at its end it comes from the environment.`,
  );
  return [name, value];
}

function fromEnvironment(name: string, prefix: string, env: Environment, warnings: string[]): JsonObject {
  if ((env[name] ?? '') === '') warnings.push(`${name} is not set here: set it in the environment of the server.`);
  return { $env: name, ...(prefix === '' ? {} : { prefix }) };
}
