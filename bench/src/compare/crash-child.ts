import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contenders } from './contenders.ts';
import { durableRavi } from './ravi.ts';

const [name = '', folder = ''] = process.argv.slice(2);
const plain = contenders.find((contender) => contender.name === name);
if (plain === undefined) throw new Error(`There is no contender ${name}`);
const { reference, run } = name === 'Ravi' ? durableRavi(folder) : plain;

const died = join(folder, 'died');
const send = (mail: string) => (): string => {
  appendFileSync(join(folder, 'sent'), `${mail}\n`);
  return mail;
};

/** Reads; the first read kills the process. */
function look(): string {
  if (existsSync(died)) return 'still there';
  writeFileSync(died, '');
  process.kill(process.pid, 'SIGKILL');
  return '';
}

await run(
  `await ${reference('send_first')}({})
await ${reference('look')}({})
return await ${reference('send_second')}({})`,
  [
    { name: 'send_first', execute: send('first') },
    { name: 'look', isReading: true, execute: look },
    { name: 'send_second', execute: send('second') },
  ],
);
// With UTCP's client loaded the process does not exit on its own.
process.kill(process.pid, 'SIGKILL');
