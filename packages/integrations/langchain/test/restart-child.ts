// One process of the restart test: `ask`, or `resume` with an answer. It keeps its state in a folder and prints what happened.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { MemorySaver } from '@langchain/langgraph';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createFileValues } from '@ravi/testkit';
import { createScene, refund, script } from './scene.ts';

const [folder = '', kind = '', answer] = process.argv.slice(2);
const file = join(folder, 'checkpoints');
const checkpointer = new MemorySaver();
if (existsSync(file)) Object.assign(checkpointer, deserialize(readFileSync(file)) as object);
const code = 'await tools.refund_order({ order: 1 }); return await tools.refund_order({ order: 2 });';
const call = kind === 'script' ? script(code) : refund(7);
await using sandbox = createVmSandbox({ unsafe: true });
await using scene = createScene(answer === undefined ? [[call]] : [], {
  checkpointer,
  sandbox,
  ...(kind === 'stored' || kind === 'script'
    ? { values: createFileValues(join(folder, 'values.json')), digestKey: new Uint8Array(32).fill(7) }
    : {}),
});
const { interrupts, outputs } = answer === undefined ? await scene.ask() : await scene.resume(JSON.parse(answer));
const { storage, writes } = checkpointer;
writeFileSync(file, serialize({ storage, writes }));
process.stdout.write(JSON.stringify({ interrupts, outputs, refunds: scene.refunds }));
