// One process of the restart test: `ask`, or `resume` with a choice. It keeps its state in a folder and prints what happened.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemoryStore } from '@mastra/core/storage';
import type { WorkflowRunState } from '@mastra/core/workflows';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createFileValues } from '@ravi/testkit';
import { refund, script } from './model.ts';
import { createScene } from './scene.ts';
import type { Reply } from './scene.ts';

interface Kept {
  readonly runs: readonly {
    readonly workflowName: string;
    readonly runId: string;
    readonly snapshot: WorkflowRunState;
  }[];
  readonly reply: Pick<Reply, 'runId' | 'waiting'>;
}

const [folder = '', kind = '', step = ''] = process.argv.slice(2);
const file = join(folder, 'mastra.json');
const key = new Uint8Array(32).fill(7);
const storage = new InMemoryStore();
const workflows = (await storage.getStore('workflows'))!;
const code = 'await tools.refund_order({ order: 1 }); return await tools.refund_order({ order: 2 });';
await using sandbox = createVmSandbox({ unsafe: true });
await using scene = createScene(step === 'ask' ? [[kind === 'script' ? script(code) : refund(7)]] : [], {
  storage,
  sandbox,
  ...(kind === 'foreign-key' ? {} : { decisionKey: key }),
  ...(kind === 'forgotten' ? {} : { values: createFileValues(join(folder, 'values.json')), digestKey: key }),
});

async function resume(): Promise<Reply> {
  const { runs, reply } = JSON.parse(readFileSync(file, 'utf8')) as Kept;
  for (const each of runs) await workflows.persistWorkflowSnapshot(each);
  return scene.resume(reply, 'answer' in reply ? { value: reply.answer } : { choice: 'approve' });
}

const reply = step === 'ask' ? await scene.ask() : await resume();
if (step === 'ask') {
  const { runs } = await workflows.listWorkflowRuns({});
  const answer = scene.ravi.answer(reply.waiting[0]?.suspension, 'approve');
  writeFileSync(file, JSON.stringify({ runs, reply: kind === 'foreign-key' ? { ...reply, answer } : reply }));
}
process.stdout.write(
  JSON.stringify({ isSuspended: reply.isSuspended, outputs: reply.outputs, refunds: scene.refunds }),
);
