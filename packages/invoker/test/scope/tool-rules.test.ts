import assert from 'node:assert/strict';
import { defineTool, isKernelError, toolOrigin } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { test } from 'vitest';
import { createToolRules, explainUnmatched, Toolbox, unmatchedPatterns } from '../../src/index.ts';

const tool = (name: string) => defineTool({ name, description: name, inputSchema: {}, execute: () => 'done' });

function createToolbox(): Toolbox {
  const toolbox = new Toolbox([tool('git.commit'), tool('git.push'), tool('digit.count'), tool('echo')]);
  toolbox.setSource('github', [tool('github__create_issue'), tool('github__delete_issue')]);
  toolbox.setSource('gitlab', [tool('gitlab__create_issue')]);
  return toolbox;
}

test.each([
  [
    {},
    [
      'git.commit',
      'git.push',
      'digit.count',
      'echo',
      'github__create_issue',
      'github__delete_issue',
      'gitlab__create_issue',
    ],
  ],
  [{ allow: ['git.*'] }, ['git.commit', 'git.push']],
  [{ allow: ['git'] }, []],
  [{ allow: ['git.*'], deny: ['*.push'] }, ['git.commit']],
  [{ allow: ['mcp:github/*'] }, ['github__create_issue', 'github__delete_issue']],
  [{ allow: ['mcp:git*/create_*'] }, ['github__create_issue', 'gitlab__create_issue']],
  [{ allow: ['mcp:github/github__delete_issue', 'echo'] }, ['echo']],
  [{ allow: [] }, []],
  [{ deny: ['mcp:github/*', 'git*'] }, ['digit.count', 'echo']],
])('rules %j allow %j', (lists, expected) => {
  const toolbox = createToolbox();
  const rules = createToolRules(lists, toolbox);
  assert.deepEqual(
    toolbox.names().filter((name) => rules.has(name)),
    expected,
  );
});

test('a tool that an operator or a workspace wrote cannot claim another kind of source, or another name there', () => {
  const toolbox = new Toolbox();
  const claims = { ...tool('launch'), [toolOrigin]: { kind: 'mcp', source: 'shop', name: 'harmless' } } as Tool;
  toolbox.setSource('shop', [claims], { isOwn: true, kind: 'workspace' });
  const has = (lists: object): boolean => createToolRules(lists, toolbox).has('launch');
  assert.equal(has({ deny: ['workspace:shop/*'] }), false);
  assert.deepEqual(
    ['workspace:shop/launch', 'workspace:shop/harmless', 'mcp:shop/*'].map((pattern) => has({ allow: [pattern] })),
    [true, false, false],
  );
});

/** A tool of a foreign source that names it otherwise. */
function foreign(name: string, kind: string, source: string, own: string): Tool {
  return { ...tool(name), [toolOrigin]: { kind, source, name: own } } as Tool;
}

test('a prefix chooses a tool by the name that its source gave it, also if that is not part of its name here', () => {
  const toolbox = new Toolbox();
  const hashed = 'my_source__delete_all_0123456789';
  toolbox.setSource('my source', [foreign(hashed, 'mcp', 'my source', 'delete all')]);
  const denies = (pattern: string): boolean => !createToolRules({ deny: [pattern] }, toolbox).has(hashed);
  assert.deepEqual(['mcp:my source/delete all', 'mcp:my source/delete*', 'mcp:my*/*all', hashed].map(denies), [
    true,
    true,
    true,
    true,
  ]);
  assert.deepEqual(
    ['openapi:my source/*', 'mcp:my source/delete', 'mcp:my/delete all', 'mcp:my source/Delete all'].map(denies),
    [false, false, false, false],
  );
});

test('a tool cannot claim to be of another source than the one that it comes from', () => {
  const toolbox = new Toolbox();
  toolbox.setSource('evil', [foreign('evil__read', 'mcp', 'github', 'read')]);
  const allows = (pattern: string): boolean => createToolRules({ allow: [pattern] }, toolbox).has('evil__read');
  assert.deepEqual(['mcp:github/*', 'mcp:evil/*', 'mcp:evil/read'].map(allows), [false, true, true]);
});

test('a pattern that matches nothing is explained with the source, the tool or the name that may be meant', () => {
  const toolbox = createToolbox();
  toolbox.setSource('mail', [foreign('mail__send_now', 'mcp', 'mail', 'send now')]);
  const lists = { allow: ['ecko', 'mcp:gitlap/create_*', 'openapi:mail/*'], deny: ['mcp:mail/sned now', 'zzz'] };
  assert.deepEqual(explainUnmatched(lists, toolbox), [
    'the pattern "ecko" matches no tool; did you mean echo?',
    'the pattern "mcp:gitlap/create_*" matches no tool; did you mean mcp:gitlab/create_*?',
    'the pattern "openapi:mail/*" matches no tool; did you mean mcp:mail/*?',
    'the pattern "mcp:mail/sned now" matches no tool; did you mean mcp:mail/send now or mcp:mail/send_now?',
    'the pattern "zzz" matches no tool',
  ]);
});

test('rules hold for tools that a registry receives later', () => {
  const toolbox = createToolbox();
  const rules = createToolRules({ allow: ['mcp:late/*'] }, toolbox);
  assert.equal(rules.has('late__add'), false);
  toolbox.setSource('late', [tool('late__add')]);
  assert.equal(rules.has('late__add'), true);
});

test('a session inside another one keeps the restrictions of its run, and those of the agent unless it has tools of its own', async () => {
  const { ToolInvoker } = await import('../../src/index.ts');
  const registry = createToolbox();
  const invoker = new ToolInvoker({ registry });
  await using outer = invoker.openSession({ allowedTools: ['echo', 'git.push'] });
  outer.narrow(createToolRules({ allow: ['git.*'] }, registry), { ofAgent: true });
  await using bound = invoker.openSession({ parent: outer });
  await using granted = invoker.openSession({ parent: outer, hasOwnTools: true });
  const of = (session: typeof outer): readonly string[] => registry.names().filter((name) => session.allows(name));
  assert.deepEqual([of(outer), of(bound), of(granted)], [['git.push'], ['git.push'], ['git.push', 'echo']]);
});

test('a pattern that no name can match is refused, and one that matches none now is reported', () => {
  const toolbox = createToolbox();
  for (const pattern of ['', 'a b', 'git/*', 'mcp:/x', 'mcp:github/', 'a'.repeat(201)]) {
    assert.throws(
      () => createToolRules({ deny: [pattern] }, toolbox),
      (error) => isKernelError(error, 'E_CONFIG_INVALID'),
    );
  }
  assert.deepEqual(unmatchedPatterns({ allow: ['git.*', 'mcp:gitub/*'], deny: ['ehco'] }, toolbox), [
    'mcp:gitub/*',
    'ehco',
  ]);
});
