import assert from 'node:assert/strict';
import { test } from 'vitest';
import { encodeChat } from '../src/index.ts';
import { ask, chat, tool } from './encoding.ts';
import type { WireObject } from './encoding.ts';
import { settingsFor } from './settings.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const number = { type: 'number' };
const propertiesIn = (wire: WireObject | undefined): object =>
  (wire?.['function']?.['parameters'] as { readonly properties: object } | undefined)?.properties ?? {};

test('a reference with an invalid escape is read literally, and the other tools are sent', () => {
  const ref = { $ref: '#/$defs/100%' };
  const bad = { ...ref, $defs: { '100%': object({ a: number }) } };
  const { tools } = chat(ask([], { tools: [tool('ok'), tool('bad', bad)] }));
  assert.deepEqual(
    tools.map(({ function: f }) => f?.['name']),
    ['ok', 'bad'],
  );
  assert.deepEqual(propertiesIn(tools[1]), {
    a: number,
  });
});

test('circular alternatives are visited once when nulls are removed', () => {
  const $defs = { A: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'string' }] } };
  const schema = object({ a: { $ref: '#/$defs/A' }, b: object({ c: { $ref: '#/$defs/A' } }) }, { $defs });
  const settings = settingsFor('openai');
  const { context } = encodeChat(ask([], { tools: [tool('t', schema, { strict: true })] }), settings);
  assert.deepEqual(context.restoreArguments?.('t', { a: null, b: { c: null } }), { b: {} });
});

test('a tool without a valid schema does not affect the others', () => {
  const given = [true, false, null, undefined, 7, 'x', []].map((parameters, at) => tool(`t${at}`, parameters as never));
  const { tools, warnings } = chat(ask([], { tools: [...given, tool('ok')] }));
  assert.deepEqual(
    tools.map(({ function: f }) => f?.['name']),
    // In `tool`, `undefined` means no arguments.
    ['t0', 't3', 'ok'],
  );
  assert.deepEqual(new Set(warnings.map(({ code }) => code)), new Set(['tool-dropped']));
});

test('an unreadable schema drops only its own tool', () => {
  const trap = object({});
  Object.defineProperty(trap, 'properties', { enumerable: true, get: () => assert.fail('no schema') });
  const { tools, warnings } = chat(ask([], { tools: [tool('trap', trap), tool('ok')] }));
  assert.equal(tools.length, 1);
  assert.match(warnings[0]?.message ?? '', /trap is not offered: its schema cannot be read: no schema/u);
});

test('a root whose parts refer to each other exponentially is refused, not followed', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 28 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, { allOf: [next, next] }];
    }),
  );
  const schema = { allOf: [{ $ref: '#/$defs/d0' }], $defs: { ...doubled, d28: object({}) } };
  const { tools, warnings } = chat(ask([], { tools: [tool('bad', schema), tool('ok')] }));
  assert.equal(tools.length, 1);
  assert.match(warnings[0]?.message ?? '', /more than 1000 parts/u);
});

test('alternatives at the root may have properties with any name', () => {
  const anyOf = ['constructor', 'toString', '__proto__'].map((name) => ({
    properties: Object.fromEntries([[name, number]]),
  }));
  assert.deepEqual(
    Object.entries(propertiesIn(chat(ask([], { tools: [tool('t', { type: 'object', anyOf })] })).tools[0])),
    [
      ['constructor', number],
      ['toString', number],
      ['__proto__', number],
    ],
  );
});
