// Started by the measurement: one process for each contender, in which its tools run as in a program of a user.
import type { Answer, OpenOptions, OpenTools } from '../operation.ts';
import type { FromHost, ToHost } from './host-process.ts';
import { hookNetwork } from './network-hook.ts';

const maxTextChars = 4_194_304;

const [id = '', home = '', port = ''] = process.argv.slice(2);
const send = (message: FromHost): void => void process.send?.(message);
process.on('disconnect', () => process.exit());

hookNetwork(Number(port), (address) => send({ type: 'connection', address }));
const { open } = (await import(`../contenders/${id}.ts`)) as { open(options: OpenOptions): Promise<OpenTools> };
let tools: OpenTools | undefined;

async function handle(message: ToHost): Promise<void> {
  if (message.type === 'open') {
    await tools?.[Symbol.asyncDispose]();
    tools = await open({ root: message.root, home, onAsked: () => send({ type: 'asked' }) });
    return send({ type: 'opened' });
  }
  if (tools === undefined) throw new Error('No workspace is open');
  const { text, ...answer }: Answer = await tools.call(message.operation);
  send({ type: 'answer', id: message.id, answer: { ...answer, text: text.slice(0, maxTextChars) } });
}

process.on('message', (message) => {
  handle(message as ToHost).catch((error: unknown) => {
    send({ type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
send({ type: 'ready' });
