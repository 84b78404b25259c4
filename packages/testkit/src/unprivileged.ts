import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@ravi/kernel';

/** Calls of the tools of one plugin, for {@link callUnprivileged}. */
export interface UnprivilegedCalls {
  /** Absolute path of the module whose default export is the plugin. */
  readonly plugin: string;
  /** Options of the plugin. */
  readonly options: JsonObject;
  /** Absolute path of the folder of the configuration and of the run. */
  readonly folder: string;
  readonly calls: readonly (readonly [tool: string, args: JsonObject])[];
  /** Variables in addition to those of this process. Default: none. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Outcome of a call. */
export interface UnprivilegedOutcome {
  /** Code of its error, and `ok` without one. */
  readonly code: string;
  /** Text of its result. */
  readonly text: string;
}

/**
 * Calls tools through an invoker in a process of its own, one after the other. If this process is that of an administrator, who may read and
 * write everything, the other one becomes the user 65534: give it access to the folder. @throws Error if the process ends without an answer
 */
export async function callUnprivileged({
  environment = {},
  ...task
}: UnprivilegedCalls): Promise<readonly UnprivilegedOutcome[]> {
  const { url } = import.meta;
  const program = fileURLToPath(new URL(`./unprivileged-child${url.endsWith('.ts') ? '.ts' : '.js'}`, url));
  const child = fork(program, [JSON.stringify(task)], { execArgv: [], env: { ...process.env, ...environment } });
  const answer = once(child, 'message') as Promise<[readonly UnprivilegedOutcome[]]>;
  const exit = once(child, 'exit');
  const first = await Promise.race([answer, exit.then(([code]) => `exit code ${String(code)}`)]);
  if (typeof first === 'string') throw new Error(`The calls without privileges ended without an answer (${first})`);
  await exit;
  return first[0];
}
