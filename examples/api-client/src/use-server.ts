import { createClient, RaviApiError } from '@ravi/client';

const code = `
const { refunded } = await tools.refund({ order: 'A-17' });
return 'refunded ' + refunded;
`;

/** Runs a script that needs an approval, approves it, and returns what happened, line by line. */
export async function useServer(baseUrl: string): Promise<readonly string[]> {
  const lines: string[] = [];

  // #region use
  const client = createClient({ baseUrl });
  const run = await client.runs.start({ kind: 'chain', code });

  // Reconnects automatically; ends with the run.
  for await (const event of client.runs.events(run.id)) {
    if (event.type === 'approval-requested') {
      lines.push(`${event.data.tool} waits for an approval`);
      await client.approvals.decide(event.data.requestId, { decision: 'approved' });
    }
    if (event.type === 'approval-decided') lines.push(event.data.approval.decision);
  }

  try {
    await client.runs.get('run_unknown');
  } catch (error) {
    if (error instanceof RaviApiError) lines.push(error.code);
  }

  // A list is its first page when awaited; iterating it reads every page.
  for await (const { id, status, outcome } of client.runs.list({ kind: 'chain' })) {
    const result = (outcome?.result ?? {}) as { readonly value?: string };
    if (id === run.id) lines.push(`${status} ${result.value}`);
  }
  // #endregion

  return lines;
}
