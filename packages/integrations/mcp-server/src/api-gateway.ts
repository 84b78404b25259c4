import type { ChainResult, RecordedEvent, RunDetails } from '@ravi/api';
import { RaviApiError } from '@ravi/client';
import type { Client } from '@ravi/client';
import { KernelError } from '@ravi/kernel';
import type { GatewayScript, McpGateway, RunProgress, WaitOptions } from './gateway.ts';

/** Options of {@link createApiGateway}. */
export interface ApiGatewayOptions {
  /** Client of the HTTP API, with the credentials of the caller. */
  readonly client: Client;
  /** Page on which people decide approvals. */
  readonly inboxUrl?: string | undefined;
}

// A connection that carries nothing for minutes may be closed on its way. The run is not concerned.
const maxLostWaits = 20;
const lostCodes = new Set(['E_SERVER_UNREACHABLE', 'E_STATE_CONFLICT']);
const shownApprovals = 20;
const listedArtifacts = 50;

/** Creates the gateway of one caller over the HTTP API, of a server or of an installation in this process. */
export function createApiGateway({ client, inboxUrl }: ApiGatewayOptions): McpGateway {
  let inline: Promise<number> | undefined;

  async function settle(runId: string, { signal }: WaitOptions = {}): ReturnType<McpGateway['settle']> {
    for (let lost = 0; ; lost++) {
      const run = await client.runs.get(runId);
      if (run.definition.kind !== 'chain') {
        throw new KernelError('E_UNSUPPORTED', `Run ${runId} is a run of the agent; only scripts are resumed here`);
      }
      if (run.status === 'cancelled' || (run.outcome !== undefined && run.outcome.result === undefined)) {
        return endedFromOutside(run);
      }
      try {
        const result = await client.runs.resume(runId, {}, signal === undefined ? {} : { signal });
        if ('outputText' in result) return result;
        throw new KernelError('E_UNSUPPORTED', `Run ${runId} has no result of a script`);
      } catch (error) {
        // The run was cancelled in the meantime, or the connection was lost while it continues.
        const mayTryAgain = error instanceof RaviApiError && lostCodes.has(error.code);
        if (!mayTryAgain || lost >= maxLostWaits || signal?.aborted === true) throw error;
      }
    }
  }

  return {
    ...(inboxUrl === undefined ? {} : { inboxUrl }),
    async caller() {
      const { principal, roles } = await client.login.get();
      return { principal, mayApprove: roles.includes('approve') || roles.includes('admin') };
    },
    async tools() {
      return (await client.tools.list()).items;
    },
    async call(name, args, { signal } = {}) {
      const { status, text } = await client.tools.call(name, { args }, signal === undefined ? {} : { signal });
      return { text, isError: status !== 'ok' };
    },
    inlineBytes() {
      inline ??= client.server.settings().then(({ policy }) => policy.maxInlineResultBytes);
      inline.catch(() => (inline = undefined));
      return inline;
    },
    runOnce: (script, { signal } = {}) => client.chains.run({ ...script }, signal === undefined ? {} : { signal }),
    async start(script: GatewayScript) {
      const { id } = await client.runs.start({ kind: 'chain', ...script, approvalMode: 'pause' });
      return id;
    },
    settle,
    async *follow(runId, signal) {
      let ended = 0;
      for await (const event of client.runs.events(runId, { signal })) {
        if (event.type === 'tool-result') ended++;
        const message = messageOf(event);
        if (message !== undefined) yield { ended, message } satisfies RunProgress;
      }
    },
    run: (runId) => client.runs.get(runId),
    async runs(page) {
      const { items, next } = await client.runs.list({ ...page, kind: 'chain' });
      return next === undefined ? { items } : { items, next };
    },
    async cancel(runId) {
      await client.runs.cancel(runId);
    },
    async pending(runId) {
      const { items } = await client.approvals.list({ runId, status: 'undecided', limit: shownApprovals });
      const whole = await Promise.all(items.map(({ id }) => client.approvals.get(id)));
      return whole.map(({ approval }) => approval).toReversed();
    },
    async decide(id, decision) {
      await client.approvals.decide(id, decision);
    },
    async artifacts() {
      return (await client.artifacts.list({ limit: listedArtifacts })).items;
    },
    artifact: (ref) => client.artifacts.get(ref),
    async read(ref, range) {
      const headers =
        range === undefined ? {} : { headers: { range: `bytes=${range.offset}-${range.offset + range.length - 1}` } };
      const response = await client.artifacts.content(ref, headers);
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}

// Such a run is not resumed: it was cancelled, or failed before it had a result.
function endedFromOutside({ id: runId, status, outcome }: RunDetails): ChainResult {
  const { code, message } = outcome?.error ?? { code: 'E_CANCELLED', message: `The run is ${status}` };
  const outputText = `${message} [${code}]`;
  const none = { outputBlocks: [], logs: [], callTrace: [], toolCalls: 0, durationMs: 0 };
  return { runId, status: status === 'cancelled' ? status : 'error', error: { code, message }, outputText, ...none };
}

function messageOf({ type, data }: RecordedEvent): string | undefined {
  if (type === 'tool-call') return `calls ${data.tool}`;
  if (type === 'tool-result') return `${data.tool}: ${data.status}`;
  if (type === 'approval-requested') return `${data.tool} waits for approval`;
  return type === 'tool-progress' ? (data.update.message ?? `${data.tool} works`) : undefined;
}
