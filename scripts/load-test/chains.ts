import { startTally } from './figures.ts';
import type { Figures } from './figures.ts';

/** Runs scripts at once, each with calls of its own; every one must come back with what it alone made. */
export async function loadChains(url: string, { count }: { readonly count: number }): Promise<Figures> {
  const tally = startTally(`POST /v1/chains, ${count} at once, five calls each`);
  await Promise.all(Array.from({ length: count }, (_, own) => run(own)));
  return tally.figures();

  async function run(own: number): Promise<void> {
    const code = `
      const answers = await Promise.all([1, 2, 3, 4, 5].map((call) => tools.echo({ own: ${own}, call })));
      return answers.map((answer) => answer.own * answer.call);`;
    const started = performance.now();
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/v1/chains`, { method: 'POST', headers, body: JSON.stringify({ code }) });
      const { status, value } = (await response.json()) as { readonly status?: string; readonly value?: unknown };
      const expected = JSON.stringify([1, 2, 3, 4, 5].map((call) => own * call));
      if (response.status !== 200 || status !== 'ok') tally.wrong(`status ${response.status} ${status}`);
      else if (JSON.stringify(value) !== expected) tally.wrong('another value');
      else tally.right(performance.now() - started);
    } catch (error) {
      tally.wrong((error as Error).message);
    }
  }
}
