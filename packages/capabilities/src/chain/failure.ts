import type { ChainError, ChainPolicy, EndingLimit, GuestError, SandboxOutcome } from '@ravi/kernel';
import { excerptOf } from '../source/text.ts';
import type { PreparedScript } from '../source/prepare-script.ts';

/** End of a run that failed. */
export interface ChainFailure {
  readonly status: 'error' | 'timeout' | 'cancelled';
  readonly error: ChainError;
}

/** A script that ran, with its source and policy. */
export interface ScriptRun {
  readonly source: string;
  readonly script: PreparedScript;
  readonly policy: ChainPolicy;
}

const cancelled: ChainFailure = {
  status: 'cancelled',
  error: { code: 'E_CANCELLED', message: 'The run was cancelled' },
};

/** Returns the failure of a run, worded for the model, with positions in the model's source. */
export function failureOf(outcome: Exclude<SandboxOutcome, { status: 'ok' }>, run: ScriptRun): ChainFailure {
  switch (outcome.status) {
    case 'error':
      return { status: 'error', error: guestFailure(outcome.error, run) };
    case 'limit':
      return limitFailure(outcome.limit, run.policy);
    case 'deadlock':
      return failure('E_SCRIPT_DEADLOCK', 'The script awaits a promise that will never settle');
    case 'crashed':
      return failure('E_SANDBOX_CRASHED', 'The sandbox process of the script crashed');
    case 'cancelled':
      return cancelled;
  }
}

/** Message of V8 when there is no memory for a buffer: the only breach of the memory limit that a script can catch. */
const noMemory = 'Array buffer allocation failed';

function guestFailure(error: GuestError, { source, script, policy }: ScriptRun): ChainError {
  const known = /^E_[A-Z0-9_]{1,60}$/.test(error.code ?? '') ? error.code : undefined;
  const isOutOfMemory = error.name === 'RangeError' && error.message === noMemory;
  const code =
    known ?? (isOutOfMemory ? 'E_LIMIT_MEMORY' : isSyntaxError(error) ? 'E_SCRIPT_SYNTAX' : 'E_SCRIPT_FAILED');
  const limit = isOutOfMemory ? ` (memoryLimitBytes: ${policy.memoryLimitBytes})` : '';
  const message = error.message === '' ? error.name : `${error.name}: ${error.message}${limit}`;
  if (error.line === undefined) return { code, message };
  const position = script.toOriginal({ line: error.line, column: error.column ?? 1 });
  return { code, message, ...position, excerpt: excerptOf(source, position) };
}

function isSyntaxError({ name, line }: GuestError): boolean {
  return name === 'SyntaxError' && line !== undefined;
}

/** Returns the failure of a run that reached `limit`. */
export function limitFailure(limit: EndingLimit, policy: ChainPolicy): ChainFailure {
  switch (limit) {
    case 'wall':
      return timeout('E_LIMIT_WALL', `The script took longer than ${policy.totalTimeoutMs} ms (totalTimeoutMs)`);
    case 'cpu':
      return timeout('E_LIMIT_CPU', `The script computed for longer than ${policy.cpuTimeMs} ms (cpuTimeMs)`);
    case 'memory':
      return failure(
        'E_LIMIT_MEMORY',
        `The script used more than ${policy.memoryLimitBytes} bytes of memory (memoryLimitBytes)`,
      );
    case 'source':
      return failure('E_LIMIT_SOURCE', `The script is larger than ${policy.maxSourceBytes} bytes (maxSourceBytes)`);
    case 'result':
      return failure(
        'E_LIMIT_RESULT',
        `The script returned more than ${policy.maxResultBytes} bytes (maxResultBytes); return a summary or an artifact`,
      );
    case 'console':
      return failure('E_LIMIT_CONSOLE', `The script wrote more than ${policy.maxConsoleBytes} bytes (maxConsoleBytes)`);
    case 'calls':
    case 'in-flight':
      return failure('E_LIMIT_CALLS', `The script made more than ${maxBridgeCalls(policy)} calls and artifact reads`);
  }
}

/** Returns how often a script may call the host: artifacts are read over the bridge too, and calls over the budget get an error. */
export function maxBridgeCalls(policy: ChainPolicy): number {
  return policy.maxScriptCalls + 10_000;
}

function failure(code: string, message: string): ChainFailure {
  return { status: 'error', error: { code, message } };
}

function timeout(code: string, message: string): ChainFailure {
  return { status: 'timeout', error: { code, message } };
}
