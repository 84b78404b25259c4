import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import { patienceOf, send } from './http.ts';
import type { KilledServers } from './servers.ts';

/** A decision that was sent. */
export interface SentDecision {
  readonly approvalId: string;
  readonly decision: 'approved' | 'denied';
  /** Status of the last response, and the code of a refusal. */
  readonly status: number;
  readonly code?: string;
  /** True if an earlier attempt got no response, so that it may have been the one that counted. */
  readonly isRepeated: boolean;
}

/** An approver who decides every pending request after a while. */
export interface Approver {
  readonly decisions: readonly SentDecision[];
  /** Resolves when the approver has stopped. */
  stop(): Promise<void>;
}

const pollMs = 300;

/** Starts an approver who approves four of five requests, at any live server. */
export function startApprover(servers: KilledServers, random: SeededRandom): Approver {
  const decisions: SentDecision[] = [];
  const known = new Set<string>();
  let isStopped = false;

  async function decide(approvalId: string, waitMs: number, decision: SentDecision['decision']): Promise<void> {
    await pause(waitMs);
    for (let isRepeated = false; !isStopped; isRepeated = true) {
      const request = { body: { decision }, ...patienceOf(random) };
      const reply = await send(servers, `/v1/approvals/${approvalId}/decision`, request);
      if (reply !== undefined && reply.status !== 429 && reply.status < 500) {
        const code = reply.body.error?.code as string | undefined;
        decisions.push({ approvalId, decision, status: reply.status, isRepeated, ...(code && { code }) });
        return;
      }
      await pause(200);
    }
  }

  async function poll(): Promise<void> {
    const deciding: Promise<void>[] = [];
    while (!isStopped) {
      const reply = await send(servers, '/v1/approvals?status=pending&limit=200');
      for (const { id } of (reply?.status === 200 ? reply.body.items : []) as readonly { readonly id: string }[]) {
        if (known.has(id)) continue;
        known.add(id);
        // Some are decided while their run still works, others after it was stored and its memory freed.
        const waitMs = random.below(4) === 0 ? random.below(6_000) : random.below(600);
        deciding.push(decide(id, waitMs, random.below(5) === 0 ? 'denied' : 'approved'));
      }
      await pause(pollMs);
    }
    await Promise.all(deciding);
  }

  const polling = poll();
  return {
    decisions,
    stop() {
      isStopped = true;
      return polling;
    },
  };
}
