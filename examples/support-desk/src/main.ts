import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServerLog, openMonolith, parsePort, serve, untilShutdown } from '@ravi/monolith';
import { writeToDesk } from './customer.ts';

const messages = [
  'The lamp of order A-17 arrived broken. Please refund it.',
  'I do not like the desk of order B-42 any more. Please refund it.',
];

const { values } = parseArgs({ options: { port: { type: 'string' } } });
const shutdown = untilShutdown();
await using monolith = await openMonolith({
  configPath: join(import.meta.dirname, '../ravi.config.ts'),
  cwd: process.cwd(),
  env: process.env,
  logger: createServerLog,
  isServer: true,
});
await using server = await serve(monolith, { port: parsePort(values.port) });

const print = (line: string): void => void process.stdout.write(`${line}\n`);
print(`listening on ${server.url}`);
print(
  server.hasConsole
    ? `Decide at ${server.url}/inbox`
    : `Decide with: npm run ravi -- approvals approve --server ${server.url} <id>`,
);

await Promise.race([shutdown, writeAll()]);
await shutdown;

async function writeAll(): Promise<void> {
  for (const message of messages) await writeToDesk(server.url, message, print);
  print('\nThe desk stays open; Ctrl+C closes it.');
}
