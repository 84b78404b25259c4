import assert from 'node:assert/strict';
import { test } from 'vitest';
import {
  isCallableFromChain,
  isHostedTool,
  isLocalTool,
  isProviderDefinedTool,
  notCallableFromChain,
  specOf,
  toolNamePattern,
} from '../src/index.ts';
import type { HostedTool, ProviderDefinedTool, Tool } from '../src/index.ts';

const result = { content: [], isError: false };
const local: Tool = { name: 'a', description: 'A.', inputSchema: { type: 'object' }, execute: async () => result };
const hosted: HostedTool = { name: 'h', description: 'H.', providerSpecs: { openai: { type: 'web_search' } } };
const defined: ProviderDefinedTool = {
  name: 'p',
  description: 'P.',
  providerSpecs: { openai: { type: 'computer' } },
  callTypes: ['computer_call'],
  handleCall: async () => result,
};

test('the three kinds of tools are distinguished, including the two that share providerSpecs', () => {
  const kinds = [local, hosted, defined].map((tool) => [
    isLocalTool(tool),
    isHostedTool(tool),
    isProviderDefinedTool(tool),
  ]);
  assert.deepEqual(kinds, [
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ]);
});

test('a name starts with a letter or underscore and has at most 64 characters', () => {
  for (const name of ['a', '_a', 'read_file', 'mcp.server-1', `a${'x'.repeat(63)}`])
    assert.match(name, toolNamePattern);
  for (const name of ['', '1a', '-a', '.a', 'a b', 'a/b', 'é', 'a\n', `a${'x'.repeat(64)}`]) {
    assert.doesNotMatch(name, toolNamePattern);
  }
});

test('the brand keeps a tool out of scripts under any name, and is the same in two copies of the kernel', () => {
  const branded = { ...local, [notCallableFromChain]: true };
  assert.equal(isCallableFromChain(local), true);
  assert.equal(isCallableFromChain(branded), false);
  assert.equal(isCallableFromChain({ ...branded, name: 'alias' }), false);
  assert.equal(notCallableFromChain, Symbol.for('ravi.not-callable-from-chain'));
});

test('a provider receives its own declaration and no other one', () => {
  assert.deepEqual(specOf(hosted, 'openai'), {
    type: 'provider',
    name: 'h',
    provider: 'openai',
    spec: { type: 'web_search' },
  });
  assert.deepEqual(specOf(defined, 'openai'), {
    type: 'provider',
    name: 'p',
    provider: 'openai',
    spec: { type: 'computer' },
    callTypes: defined.callTypes,
  });
  for (const provider of ['anthropic', 'constructor', '__proto__']) assert.equal(specOf(hosted, provider), undefined);
});

test('a local tool is a function for every provider, with its schema as it is', () => {
  assert.deepEqual(specOf(local, 'any'), {
    type: 'function',
    name: 'a',
    description: 'A.',
    parameters: { type: 'object' },
  });
  assert.deepEqual(specOf({ ...local, deferLoading: true }, 'any'), {
    type: 'function',
    name: 'a',
    description: 'A.',
    parameters: { type: 'object' },
    lazySchema: true,
  });
});
