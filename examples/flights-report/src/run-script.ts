import type { ChainRunResult } from '@ravi/kernel';

/** Runs a script over HTTP and waits for it. Text says why there is no result. */
export async function runAtOnce(url: string, code: string): Promise<ChainRunResult | string> {
  return (await post(`${url}/v1/chains`, { code })) as ChainRunResult | string;
}

/**
 * Runs a script as a run that stays in the store, as any user may from the console, and approves its requests. Text says
 * why there is no result.
 */
export async function runInStore(url: string, code: string): Promise<ChainRunResult | string> {
  const started = await post(`${url}/v1/runs`, { kind: 'chain', code });
  if (typeof started === 'string') return started;
  const { id } = started as { readonly id: string };
  // The stream ends when the run pauses for a decision, and when it ends.
  await (await fetch(`${url}/v1/runs/${id}/events`)).text();
  for (;;) {
    const { pendingApprovals } = (await (await fetch(`${url}/v1/runs/${id}`)).json()) as ShownRun;
    for (const { id: approvalId } of pendingApprovals) {
      const reason = 'The demonstration may write its own report.';
      const decided = await post(`${url}/v1/approvals/${approvalId}/decision`, { decision: 'approved', reason });
      if (typeof decided === 'string') return decided;
    }
    const result = (await post(`${url}/v1/runs/${id}/resume`, {})) as ChainRunResult | string;
    if (typeof result === 'string' || result.status !== 'paused') return result;
  }
}

interface ShownRun {
  readonly pendingApprovals: readonly { readonly id: string }[];
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.ok ? response.json() : `HTTP ${response.status}: ${await response.text()}`;
}
