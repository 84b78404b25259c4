import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { PluginEntry } from '@ravi/host';
import { createCliApproval } from '@ravi/approval-cli';
import { isKernelError } from '@ravi/kernel';
import type { ApprovalHandler } from '@ravi/kernel';
import { createServerLog, openMonolith, parsePort, serve, tokens, untilShutdown } from '@ravi/monolith';
import type { Monolith } from '@ravi/monolith';
import { checkRun, reportsFolder } from './check-run.ts';
import { collectPayloads } from './conversation/collect-payloads.ts';
import { compare } from './conversation/compare.ts';
import { runAtOnce, runInStore } from './run-script.ts';
import { showApproval, showArtifacts, showComparison, showResult, showTrace } from './show/show-run.ts';
import { heading } from './show/table.ts';

const folder = join(import.meta.dirname, '..');

async function main({ once, port }: Flags): Promise<number> {
  const shutdown = untilShutdown();
  await using monolith = await openMonolith({
    configPath: join(folder, 'ravi.config.ts'),
    cwd: process.cwd(),
    env: process.env,
    logger: createServerLog,
    ...(once ? { plugins: { approvalHandler: approvalHandler() } } : { isServer: true }),
  });
  await using server = await serve(monolith, { port: once ? (port ?? 0) : port });
  print([
    heading('Ravi: one script over 200 000 real flights'),
    showApproval(monolith.container.resolve(tokens.config), isAtTerminal ? `${server.url}/inbox` : undefined),
  ]);

  const stopped = new AbortController();
  void shutdown.then(() => stopped.abort());
  const problem = await demonstrate(monolith, server.url, stopped.signal);
  if (stopped.signal.aborted) return 0;
  if (problem !== undefined) console.error(`The demonstration failed: ${problem}`);
  if (once) return problem === undefined ? 0 : 1;
  print([
    '  Run a script of yours:',
    `  curl ${server.url}/v1/chains -H 'content-type: application/json' -d '{"code":"return await tools.list_datasets()"}'`,
  ]);
  const aboutConsole = server.hasConsole ? `Open ${server.url} in a browser for the console.\n` : '';
  // Written at once: a program that reads the address may close the pipe after the first line.
  process.stdout.write(`listening on ${server.url}\n${aboutConsole}Ctrl+C ends the server.\n`);
  await shutdown;
  return problem === undefined ? 0 : 1;
}

const isAtTerminal = process.stdin.isTTY && process.stderr.isTTY;
const reason = 'The demonstration may write its own report.';

/** Approval rules for a run without a server. */
function approvalHandler(): PluginEntry {
  if (isAtTerminal) return { use: '@ravi/approval-cli' };
  return {
    use: '@ravi/approval-auto',
    rules: [{ tool: 'publish_report', risk: 'high', decision: 'approved', reason }],
  };
}

/** Decides the requests of a run of the server: the user at the terminal, or without one the demonstration. */
function approver(): ApprovalHandler {
  return isAtTerminal ? createCliApproval() : { request: async () => ({ decision: 'approved', reason }) };
}

/** Runs the script once over HTTP, as other clients do, and shows its course. Returns the error message if it fails. */
async function demonstrate({ container }: Monolith, url: string, signal: AbortSignal): Promise<string | undefined> {
  const script = await readFile(join(folder, 'script.ts'), 'utf8');
  using collector = collectPayloads(container.resolve(tokens.hooks));
  const isStored = container.resolve(tokens.durable) !== undefined;
  const run = isStored ? await runInStore(url, script, { approver: approver(), signal }) : await runAtOnce(url, script);
  if (typeof run === 'string') return run;
  print(showResult(run));
  print(showTrace(run.callTrace));
  print(showArtifacts(run.callTrace));

  const payloads = await collector.payloads(container.resolve(tokens.blobStore));
  const specs = container.resolve(tokens.toolbox).schemas('');
  print(showComparison(await compare({ payloads, specs, script, output: run.outputText })));
  const problem = checkRun(run);
  if (problem === undefined) print([`  Reports are in ${relative(process.cwd(), reportsFolder(process.env)) || '.'}`]);
  return problem;
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

interface Flags {
  readonly once: boolean;
  readonly port: number | undefined;
}

function readFlags(): Flags {
  const { values } = parseArgs({ options: { once: { type: 'boolean', default: false }, port: { type: 'string' } } });
  return { once: values.once, port: parsePort(values.port) };
}

const badUsage = 2;
let flags: Flags;
try {
  flags = readFlags();
} catch (error) {
  console.error(`${(error as Error).message}\nUsage: npm start -- [--port <number>] [--once]`);
  process.exit(badUsage);
}
try {
  process.exit(await main(flags));
} catch (error) {
  if (!isKernelError(error)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exit(badUsage);
}
