import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openMonolith, tokens } from '@ravi/monolith';

const folder = join(import.meta.dirname, '..');
await rm(join(folder, 'data/notes'), { recursive: true, force: true });

// #region run
// Here a rule approves; a server asks in its inbox.
const approvalHandler = { use: '@ravi/approval-auto', rules: [{ tool: 'save_note', decision: 'approved' }] };
await using monolith = await openMonolith({ cwd: folder, env: {}, plugins: { approvalHandler } });
const runChain = monolith.container.resolve(tokens.runChain);

const code = `
const text = 'every call passes one inspector';
const { words } = await tools.count_words({ text });
await tools.save_note({ name: 'first', text: words + ' words: ' + text });
const again = await tools.save_note.safe({ name: 'first', text });
const refused = await tools.save_note.safe({ name: '../etc', text });
return [words, again.error.code, refused.error.code];
`;
const result = await runChain({ code, policy: { maxScriptCalls: 10 } });
console.log(result.status, result.outputText);
// #endregion

assert.deepEqual(result.value, [5, 'E_NOTE_EXISTS', 'E_ARGUMENTS_INVALID']);
assert.equal(await readFile(join(folder, 'data/notes/first.txt'), 'utf8'), '5 words: every call passes one inspector');
