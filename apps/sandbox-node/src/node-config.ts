import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { completeOptions, invalidConfig, parseJson } from '@ravi/host';
import type { PluginEntry } from '@ravi/host';
import type { JsonSchema, Logger } from '@ravi/kernel';
import { defaultNodeLimits, tlsFileProperties } from '@ravi/sandbox-remote';
import type { SandboxNodeLimits, TlsFiles } from '@ravi/sandbox-remote';

/** Configuration of a node. */
export interface NodeConfig extends SandboxNodeLimits, TlsFiles {
  readonly host: string;
  readonly port: number;
  /** Sandbox that runs the scripts, or one for each language. */
  readonly sandbox: PluginEntry | readonly PluginEntry[];
  readonly clients?: readonly string[];
  /** Milliseconds that scripts have to end after SIGTERM. */
  readonly drainTimeoutMs: number;
  /** Address of the reports for probes, over HTTP without certificates. */
  readonly health?: { readonly host: string; readonly port: number };
  readonly logLevel: keyof Logger;
}

/** Flags of the command line. They take precedence over the file. */
export interface NodeFlags extends Partial<TlsFiles> {
  readonly config?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

const entrySchema: JsonSchema = {
  type: 'object',
  properties: { use: { type: 'string', minLength: 1, description: 'Package or file of the plugin.' } },
  required: ['use'],
};

/** Schema of {@link NodeConfig}, with the defaults. */
export const nodeConfigSchema: JsonSchema = {
  type: 'object',
  properties: {
    host: { type: 'string', minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 8_443,
      description: 'Port to listen on, 0 picks a free one.',
    },
    ...tlsFileProperties,
    clients: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'Names of which a certificate of a server must have one. Any certificate of the authority is accepted when absent.',
    },
    sandbox: {
      anyOf: [entrySchema, { type: 'array', minItems: 1, items: entrySchema }],
      default: { use: '@ravi/sandbox-isolated-vm' },
      description: 'Sandbox that runs the scripts, with its options, or one for each language.',
    },
    maxRuns: {
      type: 'integer',
      minimum: 1,
      default: defaultNodeLimits.maxRuns,
      description: 'Runs at once, those included that wait for a process of the sandbox. Further runs are refused.',
    },
    maxConnections: {
      type: 'integer',
      minimum: 1,
      default: defaultNodeLimits.maxConnections,
      description: 'Connections of servers at once. A server opens one.',
    },
    maxBufferedBytes: {
      type: 'integer',
      // A frame must fit.
      minimum: 67_108_864,
      default: defaultNodeLimits.maxBufferedBytes,
      description: 'Bytes that may wait until servers read them. Above it the run with the most ends.',
    },
    pingIntervalMs: {
      type: 'integer',
      minimum: 1,
      default: defaultNodeLimits.pingIntervalMs,
      description:
        'Milliseconds between two pings of each connection; one without a reply when the next is due is closed.',
    },
    drainTimeoutMs: {
      type: 'integer',
      minimum: 0,
      default: 30_000,
      description: 'Milliseconds that scripts have to end after SIGTERM.',
    },
    health: {
      type: 'object',
      properties: {
        host: { type: 'string', minLength: 1, default: '127.0.0.1' },
        port: { type: 'integer', minimum: 0, maximum: 65_535 },
      },
      required: ['port'],
      additionalProperties: false,
      description: 'Address of GET /health for probes, over HTTP without certificates. None when absent.',
    },
    logLevel: {
      enum: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      description: 'Least important level that is logged.',
    },
  },
  required: ['ca', 'cert', 'key'],
  additionalProperties: false,
};

/** A configuration, and the folder of relative paths in it. */
export interface LoadedNodeConfig {
  readonly config: NodeConfig;
  readonly baseDir: string;
}

/**
 * Reads the configuration file, if there is one, and adds flags and defaults.
 * @throws KernelError `E_CONFIG_INVALID` that names the file and each mistake
 */
export async function readNodeConfig({ config: file, ...flags }: NodeFlags, cwd: string): Promise<LoadedNodeConfig> {
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  // Paths of flags are relative to where the command was typed.
  for (const name of ['ca', 'cert', 'key']) {
    if (typeof given[name] === 'string') given[name] = resolve(cwd, given[name]);
  }
  if (file === undefined) {
    return { config: completeOptions(given, nodeConfigSchema, 'the flags') as NodeConfig, baseDir: cwd };
  }
  const path = resolve(cwd, file);
  const written = parseJson(await readText(path), path);
  if (typeof written !== 'object' || written === null || Array.isArray(written)) {
    throw invalidConfig(path, ['the configuration must be an object']);
  }
  const config = completeOptions({ ...written, ...given }, nodeConfigSchema, path) as NodeConfig;
  return { config, baseDir: dirname(path) };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw invalidConfig(path, [`the file cannot be read (${reason})`], cause);
  }
}
