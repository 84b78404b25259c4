import { claims } from './claims.ts';
import { describeMachine } from '../machine.ts';
import { contenders } from './contenders.ts';

const { node, peers } = describeMachine();
const versions = ['@ai-sdk/code-mode', '@tanstack/ai-code-mode', '@utcp/code-mode'].map(
  (name) => `${name} ${peers[name]}`,
);
console.log(`Node ${node} · ${versions.join(' · ')}\n`);

const wanted = process.argv.slice(2);
for (const [index, { title, counts, show }] of claims.entries()) {
  const number = `${index + 1}`;
  if (wanted.length > 0 && !wanted.includes(number)) continue;
  console.log(`${number}. ${title} (${counts})`);
  for (const contender of contenders) console.log(`   ${contender.name.padEnd(22)} ${await show(contender)}`);
  console.log();
}
process.exit();
