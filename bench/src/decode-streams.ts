import type { ModelProvider, ModelRequest } from '@ravi/kernel';
import { anthropicScenes } from './decode/anthropic-scenes.ts';
import { googleScenes } from './decode/google-scenes.ts';
import { openAiScenes } from './decode/openai-scenes.ts';
import type { BenchGroup } from './row.ts';
import { rowsOf } from './rows-of.ts';

const networkBytes = 65_536;

/** Measures reading 1 MB of a streamed tool call, from bytes to whole arguments: ours, the official library and `ai`. */
export const benchDecode: BenchGroup = async ({ rounds }) => {
  const rows = [];
  for (const { name, text, goal, ours, peers } of [...openAiScenes(), ...anthropicScenes(), ...googleScenes()]) {
    const bytes = new TextEncoder().encode(text);
    const answering: typeof fetch = async () =>
      new Response(piecesOf(bytes), { headers: { 'content-type': 'text/event-stream' } });
    const provider = ours(answering);
    rows.push(
      ...(await rowsOf(
        {
          group: 'decode',
          name,
          unit: 'ms',
          goal,
          ours: { name: 'ours', measure: () => timed(() => read(provider)) },
          peers: peers.map((peer) => ({ name: peer.name, measure: () => timed(() => peer.read(answering)) })),
          floor: { name: 'scan and parse', measure: () => timed(async () => scanAndParse(bytes)) },
        },
        rounds,
      )),
    );
  }
  return rows;
};

const question: ModelRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], tools: [] };

async function read(provider: ModelProvider): Promise<void> {
  let calls = 0;
  for await (const event of provider.stream(question, { signal: new AbortController().signal })) {
    if (event.type === 'error') throw new TypeError(event.error.message);
    if (event.type === 'block' && event.block.type === 'tool_use' && event.block.invalid === undefined) calls++;
  }
  if (calls !== 1) throw new TypeError(`${calls} calls instead of one`);
}

/** Does only what every decoder needs: finds the events in the bytes and parses each. */
function scanAndParse(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes);
  for (let start = 0; ;) {
    const end = text.indexOf('\n\n', start);
    if (end === -1) return;
    const data = text.slice(text.indexOf('data: ', start) + 6, end);
    if (data !== '[DONE]') JSON.parse(data);
    start = end + 2;
  }
}

/** Measures milliseconds of processor time of all threads, so that other programs on the machine do not count. */
async function timed(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function piecesOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + networkBytes));
      at += networkBytes;
      return undefined;
    },
  });
}
