import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { createRiskRule, createToolFilter, createToolMatcher, unusedPatterns } from '@ravi/source-kit';
import { test } from 'vitest';

const github = { kind: 'mcp', source: 'github' };

test('a pattern matches the whole name, never a part of it', () => {
  const isDelete = createToolMatcher(['delete'], github);
  assert.ok(isDelete('delete'));
  for (const name of ['delete_file', 'undelete', 'Delete', '']) assert.ok(!isDelete(name), name);
});

test('a star stands for any characters, none included', () => {
  const matches = createToolMatcher(['get_*_by_*', '*_draft'], github);
  for (const name of ['get_issue_by_id', 'get__by_', 'get_a_by_b_by_c', '_draft', 'save_draft'])
    assert.ok(matches(name), name);
  for (const name of ['get_issue', 'save_draft_now', 'xget_a_by_b']) assert.ok(!matches(name), name);
});

test('other characters of a pattern have no special meaning', () => {
  const matches = createToolMatcher(['a.b', '[x]+', 'q?'], github);
  for (const name of ['a.b', '[x]+', 'q?']) assert.ok(matches(name), name);
  for (const name of ['axb', 'x', 'xx', 'q', 'qq']) assert.ok(!matches(name), name);
});

test('a prefix limits a pattern to a kind and a source', () => {
  const matches = createToolMatcher(
    ['mcp:github/list_*', 'mcp:gitlab/*', 'openapi:github/*', 'mcp:git*/close'],
    github,
  );
  assert.ok(matches('list_issues'));
  assert.ok(matches('close'));
  assert.ok(!matches('open'));
  assert.ok(createToolMatcher(['openapi:pets/*'], { kind: 'openapi', source: 'pets' })('getPet'));
});

test('a hostile name does not make the comparison slow', () => {
  const matches = createToolMatcher(['*a'.repeat(100) + 'b'], github);
  assert.ok(!matches('a'.repeat(20_000)));
});

test('a denied tool is left out even if it is allowed', () => {
  const offers = createToolFilter({ ...github, allow: ['mcp:github/*'], deny: ['delete_*'] });
  assert.ok(offers('list_issues'));
  assert.ok(!offers('delete_repository'));
  assert.ok(createToolFilter(github)('anything'));
  assert.ok(!createToolFilter({ ...github, allow: [] })('anything'));
  assert.ok(!createToolFilter({ ...github, allow: ['mcp:gitlab/*'] })('anything'));
});

test('an empty pattern is refused', () => {
  assert.throws(
    () => createToolMatcher([''], github),
    (error) => isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('claims of a source that is not trusted do not lower the risk', () => {
  const risk = createRiskRule({ ...github, isTrusted: false });
  assert.equal(risk('list', { isReadOnly: true }), 'high');
  assert.equal(risk('list', {}), 'high');
});

test('a trusted source lowers the risk only of tools that it declares to read', () => {
  const risk = createRiskRule({ ...github, isTrusted: true });
  assert.equal(risk('list', { isReadOnly: true }), 'safe');
  assert.equal(risk('list', { isReadOnly: true, isDestructive: false }), 'safe');
  assert.equal(risk('odd', { isReadOnly: true, isDestructive: true }), 'high');
  assert.equal(risk('write', { isReadOnly: false, isDestructive: false }), 'high');
  assert.equal(risk('unknown', {}), 'high');
  assert.equal(risk('remove', { usual: 'critical' }), 'critical');
  assert.equal(risk('read', { usual: 'critical', isReadOnly: true }), 'safe');
});

test('the risk that the operator wrote wins over every claim', () => {
  const overrides = { list: 'safe', 'list*': 'critical', 'list_*': 'safe', 'mcp:gitlab/*': 'critical' } as const;
  const risk = createRiskRule({ ...github, isTrusted: true, overrides });
  assert.equal(risk('list', {}), 'safe');
  assert.equal(risk('list_all', { isReadOnly: true }), 'critical');
  assert.equal(risk('other', {}), 'high');
});

test('a tool whose name looks like a pattern with a prefix is denied by exactly this name', () => {
  const offers = createToolFilter({ ...github, deny: ['x:y/z', 'mcp:gitlab/close', 'openapi:a/b*'] });
  for (const name of ['x:y/z', 'mcp:gitlab/close', 'openapi:a/b', 'openapi:a/bc']) assert.ok(!offers(name), name);
  for (const name of ['z', 'close', 'b', 'y/z']) assert.ok(offers(name), name);
});

test('a server cannot give its tool a name that gets what was meant for another source', () => {
  const overrides = { 'mcp:gitlab/*': 'safe', 'x:y/z': 'safe' } as const;
  const risk = createRiskRule({ ...github, isTrusted: false, overrides });
  assert.equal(risk('mcp:gitlab/delete_everything', {}), 'high');
  assert.equal(risk('x:y/z', {}), 'safe');
  assert.ok(!createToolMatcher(['mcp:gitlab/*'], github)('mcp:gitlab/close'));
});

test('a pattern that matches nothing is reported with the names that may be meant', () => {
  const tools = ['create_issue', 'get_issue', 'delete_repository', 'x:y/z', 'a', 'b'];
  const lists = {
    allow: ['get_*', 'github__create_issue'],
    deny: ['delete_repositry', 'x:y/z', 'mcp:tracker/*', 'mcp:githb/*'],
    risk: ['mcp:github/get_isue', 'mcp:github/get_*'],
    background: ['*'],
  };
  assert.deepEqual(
    unusedPatterns(lists, github, tools).map(({ from, message }) => `${from} ${message}`),
    [
      'allow "github__create_issue" matches no tool; did you mean create_issue?',
      'deny "delete_repositry" matches no tool; did you mean delete_repository?',
      'deny "mcp:githb/*" is for the source githb; did you mean github?',
      'risk "mcp:github/get_isue" matches no tool; did you mean get_issue?',
    ],
  );
  assert.deepEqual(unusedPatterns({ deny: ['write'] }, github, tools), [
    {
      from: 'deny "write"',
      message: 'matches no tool; the tools are create_issue, get_issue, delete_repository, x:y/z, a, …',
    },
  ]);
  assert.deepEqual(
    unusedPatterns({ allow: ['read'] }, github, []).map(({ message }) => message),
    ['matches no tool: the source lists none'],
  );
  const [hostile] = unusedPatterns({ deny: ['write'] }, github, ['\u001B[31mred']);
  assert.equal(hostile?.message.includes('\u001B'), false);
  assert.equal(
    unusedPatterns({ deny: Array.from({ length: 500 }, (_, index) => `none-${index}`) }, github, tools).length,
    20,
  );
});
