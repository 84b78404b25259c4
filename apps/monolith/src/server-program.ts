import { parseArgs } from 'node:util';
import { isKernelError } from '@ravi/kernel';
import { messageWithCauses } from '@ravi/support';
import { parsePort } from './server-address.ts';
import { runServer } from './run-server.ts';

const usage = `Usage: monolith [--config <file>] [--host <address>] [--port <number>] [--adopt-state]

  --config  configuration file; else RAVI_CONFIG, else ravi.config.json or ravi.config.ts here, else the defaults
  --host    loopback address to listen on
  --port    port to listen on, 0 picks a free one
  --adopt-state
            accept a state database or a digest key that differs from those of earlier starts`;

const failed = 1;
const badUsage = 2;

interface Flags {
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly adoptState: boolean;
  readonly isHelp: boolean;
}

function readFlags(): Flags {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      'adopt-state': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { config, host, port, 'adopt-state': adoptState, help } = values;
  return { config, host, port: parsePort(port), adoptState, isHelp: help };
}

/** Ends the process: a handle that a plugin left open must not keep it alive. */
function end(code: number, message: string): never {
  console.error(message);
  process.exit(code);
}

// Errors of the state and the engine are not mistakes in the configuration: an operator may repair them while a supervisor tries again.
const stateCodes = new Set([
  'E_ENGINE_UNAVAILABLE',
  'E_STATE_CONFLICT',
  'E_STATE_CORRUPT',
  'E_STATE_INVALID',
  'E_STATE_UNAVAILABLE',
]);

/** Runs the server as the main program, with the flags of its command line, and ends the process. */
export async function runProgram(): Promise<never> {
  let flags: Flags;
  try {
    flags = readFlags();
  } catch (error) {
    end(badUsage, `${(error as Error).message}\n\n${usage}`);
  }
  if (flags.isHelp) {
    console.log(usage);
    process.exit(0);
  }
  try {
    process.exit(await runServer(flags));
  } catch (error) {
    if (isKernelError(error)) {
      end(stateCodes.has(error.code) ? failed : badUsage, `${error.code}: ${messageWithCauses(error)}`);
    }
    end(failed, String(error instanceof Error ? error.stack : error));
  }
}
