import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { KernelError } from '@ravi/kernel';
import type { ChainRunResult } from '@ravi/kernel';
import { openMonolith, tokens, untilShutdown } from '@ravi/monolith';
import { approvalPlugin } from '../approve.ts';
import type { ApprovalMode } from '../approve.ts';
import { exitCodeOf } from '../exit-code.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { createTextLogger } from '../text-logger.ts';

/** Options of {@link runChainFile}. */
export interface ChainRunOptions {
  readonly config?: string;
  readonly approve?: ApprovalMode;
  readonly json?: boolean;
}

/** Runs a script (`-` for standard input) and prints its output, or the whole result as JSON. */
export async function runChainFile(file: string, options: ChainRunOptions, terminal: Terminal): Promise<ExitCode> {
  const { config: configPath, approve, json = false } = options;
  const code = await readScript(file, terminal);
  if (approve === 'auto') terminal.warn('warning: --approve auto approves every call of every risk, nobody is asked');

  const { cwd, env, warn } = terminal;
  const logger = createTextLogger(warn);
  await using monolith = await openMonolith({ configPath, cwd, env, plugins: approvalPlugin(approve), logger });
  const cancellation = new AbortController();
  void untilShutdown().then((signal) => cancellation.abort(new KernelError('E_CANCELLED', `Ended by ${signal}`)));
  const run = await monolith.container.resolve(tokens.runChain)({ code, signal: cancellation.signal });

  if (json) terminal.print(JSON.stringify(run));
  else show(run, terminal);
  return exitCodeOf(run);
}

async function readScript(file: string, { cwd }: Terminal): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', `The script ${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function show(run: ChainRunResult, { print, warn }: Terminal): void {
  for (const { level, text: line } of run.logs) warn(`console.${level}: ${line}`);
  for (const { tool, status, errorCode, durationMs } of run.callTrace) {
    warn(`${tool}: ${errorCode ?? status} in ${durationMs.toFixed(1)} ms`);
  }
  if (run.status === 'ok') print(run.outputText);
  else warn(run.outputText);
}
