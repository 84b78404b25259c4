import { callId, range } from '../script.ts';
import type { LoopRunner, LoopTool } from '../script.ts';

interface BareMessage {
  readonly role: string;
  readonly calls?: readonly { readonly id: string; readonly value: number }[];
  readonly results?: readonly { readonly id: string; readonly value: number }[];
}

/** Minimal loop: an array of messages, an awaited response, an awaited tool. */
export function createBareRunner(tool: LoopTool): LoopRunner {
  return async ({ steps, callsPerStep }) => {
    const messages: BareMessage[] = [{ role: 'user' }];
    for (let step = 0; step < steps; step++) {
      const calls = await answer(step, callsPerStep);
      messages.push({ role: 'assistant', calls });
      const results = await Promise.all(calls.map(async ({ id, value }) => ({ id, value: await tool(value) })));
      messages.push({ role: 'user', results });
    }
  };
}

async function answer(
  step: number,
  count: number,
): Promise<readonly { readonly id: string; readonly value: number }[]> {
  return range(count).map((value) => ({ id: callId(step, value), value }));
}
