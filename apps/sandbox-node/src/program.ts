import { parseArgs } from 'node:util';
import { isKernelError } from '@ravi/kernel';
import { messageWithCauses } from '@ravi/support';
import { readNodeConfig } from './node-config.ts';
import type { NodeFlags } from './node-config.ts';
import { runNode } from './run-node.ts';

const usage = `Usage: ravi-sandbox-node [--config <file>] [--host <address>] [--port <number>] [--ca <file>] [--cert <file>] [--key <file>]

  --config  configuration file, JSON; the other flags take precedence over it
  --host    address to listen on, 127.0.0.1 by default
  --port    port to listen on, 8443 by default; 0 picks a free one
  --ca      PEM file with the authorities that sign the certificates of servers
  --cert    PEM file with the certificate of this node
  --key     PEM file with the private key of the certificate`;

const failed = 1;
const badUsage = 2;

/** Runs a node as the main program, with the flags of its command line, and ends the process. */
export async function runProgram(args: readonly string[]): Promise<never> {
  let flags: NodeFlags | 'help';
  try {
    flags = readFlags(args);
  } catch (error) {
    end(badUsage, `${(error as Error).message}\n\n${usage}`);
  }
  if (flags === 'help') {
    console.log(usage);
    process.exit(0);
  }
  try {
    await runNode(await readNodeConfig(flags, process.cwd()));
    process.exit(0);
  } catch (error) {
    if (isKernelError(error)) end(badUsage, `${error.code}: ${messageWithCauses(error)}`);
    end(failed, String(error instanceof Error ? error.stack : error));
  }
}

function readFlags(args: readonly string[]): NodeFlags | 'help' {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: text,
      host: text,
      port: text,
      ca: text,
      cert: text,
      key: text,
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { help, port, ...files } = values;
  if (help) return 'help';
  if (port === undefined) return files;
  if (!/^\d{1,5}$/.test(port)) throw new Error(`--port must be a number from 0 to 65535, not "${port}"`);
  return { ...files, port: Number(port) };
}

/** Ends the process: a handle that a plugin left open must not keep it alive. */
function end(code: number, message: string): never {
  console.error(message);
  process.exit(code);
}
