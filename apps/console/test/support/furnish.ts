/** Data that a server has before its pages are opened. */
export interface Furnished {
  /** A finished run of the agent with an approval and a report. */
  readonly runId: string;
  readonly sessionId: string;
  /** The report. */
  readonly reportRef: string;
  /** A run whose agent waits for an answer. */
  readonly askingId: string;
  /** A script of 500 calls. */
  readonly wideId: string;
  /** A script that failed in its second line. */
  readonly failedId: string;
  /** A schedule that waits for its first time. */
  readonly scheduleId: string;
}

interface StartedRun {
  readonly id: string;
  readonly sessionId: string;
}

/** Lets a server have something to show; one more script waits for an approval afterwards. */
export async function furnish(url: string): Promise<Furnished> {
  const send = async (path: string, body: object, method = 'POST'): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json();
  };
  const start = async (body: object): Promise<StartedRun> => (await send('/runs', body)) as StartedRun;
  /** Reads what the run does until its stream ends, which also happens when the run pauses for an approval or answer. */
  const follow = async ({ id }: StartedRun): Promise<void> => {
    const response = await fetch(`${url}/v1/runs/${id}/events`);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const [asked, requestId] = /event: approval-requested\n[^\n]*"requestId":"([^"]+)"[^\n]*\n\n/.exec(text) ?? [];
      if (asked === undefined) continue;
      text = '';
      await send(`/approvals/${requestId}/decision`, { decision: 'approved' });
    }
  };

  const run = await start({ kind: 'agent', task: 'When should I fly? Publish a report.' });
  await follow(run);
  const asking = await start({ kind: 'agent', task: 'Ask me where to sit' });
  await follow(asking);
  const code = `// Weigh everything\nconst all = await Promise.all(Array.from({ length: 500 }, (_, thing) => tools.weigh({ thing })));\nexport default all.length;`;
  const wide = await start({ kind: 'chain', code });
  await follow(wide);
  const failed = await start({
    kind: 'chain',
    code: `// Adds up what is not there\nexport default (await tools.weigh({ thing: 1 })).weights.length;`,
  });
  await follow(failed);
  await start({ kind: 'chain', code: `// To the stars\nawait tools.launch({ target: 'Proxima', crew: 4 });` });
  const spec = { kind: 'schedule', cron: '30 9 * * MON-FRI', timeZone: 'Europe/Berlin' };
  const schedule = (await send('/triggers', { spec, task: 'Look at the weather of the day' })) as {
    readonly id: string;
  };
  const snippet = { description: 'Weighs one thing.', code: 'export default await tools.weigh({ thing: 3 });' };
  await send('/snippets/weigh_three', snippet, 'PUT');
  const { artifacts } = (await (await fetch(`${url}/v1/runs/${run.id}`)).json()) as {
    readonly artifacts: readonly { readonly ref: string; readonly mediaType: string }[];
  };
  const report = artifacts.find(({ mediaType }) => mediaType === 'text/markdown');
  return {
    runId: run.id,
    sessionId: run.sessionId,
    reportRef: report?.ref ?? '',
    askingId: asking.id,
    wideId: wide.id,
    failedId: failed.id,
    scheduleId: schedule.id,
  };
}
