import { KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { Clock, Logger, Sandbox, SandboxOutcome, SandboxRequest, SandboxSupport } from '@ravi/kernel';
import { boundedRequest, overlongSource } from '@ravi/sandbox-kit';
import { checkLanguage } from '@ravi/support';
import { createFleet } from './client/fleet.ts';
import type { Fleet } from './client/fleet.ts';
import { readNodes } from './client/node-address.ts';
import { openNodeConnection } from './client/node-connection.ts';
import type { NodeConnection } from './client/node-connection.ts';
import { runOnNode } from './client/run-on-node.ts';
import { isolations } from './protocol/messages.ts';
import { createSendBudget } from './protocol/send-budget.ts';
import { defaultRemoteOptions } from './remote-options.ts';
import type { RemoteSandboxOptions } from './remote-options.ts';
import { readTlsFiles } from './tls-files.ts';

/** Services of the host that a remote sandbox uses. */
export interface RemoteSandboxServices {
  /** Folder for relative paths. Default: the working directory. */
  readonly baseDir?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Creates a sandbox that runs scripts on nodes, each principal on one of them. It supports what the first node supports that responds;
 * a node that supports less is left out.
 * @throws KernelError `E_CONFIG_INVALID` for wrong options or certificates, `E_SANDBOX_UNAVAILABLE`, retryable, if no node responds
 */
export async function createRemoteSandbox(
  options: RemoteSandboxOptions,
  { baseDir = process.cwd(), clock = systemClock, logger = silentLogger }: RemoteSandboxServices = {},
): Promise<Sandbox> {
  const { connectTimeoutMs, pingIntervalMs, maxBufferedBytes } = { ...defaultRemoteOptions, ...options };
  const limits = { connectTimeoutMs, pingIntervalMs, maxBufferedBytes };
  const nodes = readNodes(options.nodes);
  const readTls = (): ReturnType<typeof readTlsFiles> => readTlsFiles(options, baseDir);
  await readTls();
  const budget = createSendBudget(maxBufferedBytes);
  let supports: SandboxSupport | undefined;
  const connections = nodes.map((node) =>
    openNodeConnection({
      node,
      limits,
      readTls,
      refuses(offered) {
        supports ??= offered;
        return lacking(offered, supports);
      },
      onChange: () => fleet.changed(),
      clock,
      logger,
    }),
  );
  const fleet: Fleet = createFleet(connections, { clock, waitMs: connectTimeoutMs });
  try {
    supports = await fleet.untilAvailable();
  } catch (error) {
    await fleet[Symbol.asyncDispose]();
    throw error;
  }

  return {
    name: 'remote',
    supports,
    async run(request) {
      check(request, supports as SandboxSupport);
      const bounded = boundedRequest(request);
      if (request.signal?.aborted === true) return cancelled;
      return overlongSource(bounded) ?? (await runSomewhere(bounded));
    },
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]();
    },
  };

  async function runSomewhere(request: ReturnType<typeof boundedRequest>): Promise<SandboxOutcome> {
    const { principal, signal } = request;
    const tried = new Map<string, string>();
    let losses = 0;
    for (;;) {
      const node = await fleet.choose(principal, tried, signal);
      if (node === undefined) return cancelled;
      const attempt = await runOnNode(request, node.begin(), { address: node.address, budget, clock });
      if (attempt.status === 'ended') return noted(attempt.outcome, node);
      if (signal?.aborted === true) return cancelled;
      // A node whose connection was lost may be tried again. A script that ends its node must not reach all of them.
      if (attempt.status === 'refused') tried.set(node.address, attempt.reason);
      else if (++losses > maxLosses) throw unavailable(`${node.address} ${attempt.reason}`);
    }
  }

  function noted(outcome: SandboxOutcome, { address }: NodeConnection): SandboxOutcome {
    if (outcome.status === 'crashed') logger.warn('a script has crashed', { node: address, reason: outcome.message });
    return outcome;
  }
}

/** Connections that a run may lose before it begins. */
const maxLosses = 2;

const cancelled: SandboxOutcome = Object.freeze({ status: 'cancelled', durationMs: 0, consoleDroppedBytes: 0 });

function check({ language, files = [] }: SandboxRequest, supports: SandboxSupport): void {
  checkLanguage({ name: 'remote', supports }, language);
  if (files.length === 0 || supports.files?.includes(language) === true) return;
  throw new KernelError('E_UNSUPPORTED', `The sandbox nodes do not support files for ${language}`);
}

function unavailable(reason: string): KernelError {
  return new KernelError('E_SANDBOX_UNAVAILABLE', `No sandbox node can run the script: ${reason}`, { retryable: true });
}

/** Returns what a sandbox lacks of what others support, as the rest of a sentence about its node; `undefined` if nothing. */
function lacking(offered: SandboxSupport, needed: SandboxSupport): string | undefined {
  for (const list of ['languages', 'limits', 'files', 'marksTurns'] as const) {
    const missing = (needed[list] ?? []).filter(
      (each) => !(offered[list] as readonly string[] | undefined)?.includes(each),
    );
    if (missing.length > 0) return `differs from other nodes: it lacks ${list} ${missing.join(', ')}`;
  }
  if (isolations.indexOf(offered.isolation) < isolations.indexOf(needed.isolation)) {
    return `differs from other nodes: its isolation is ${offered.isolation}, not ${needed.isolation}`;
  }
  if (needed.detectsDeadlock && !offered.detectsDeadlock) return 'differs from other nodes: it detects no deadlock';
  return undefined;
}
