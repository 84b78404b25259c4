import assert from 'node:assert/strict';
import { test } from 'vitest';

import { cycles } from '../structure/cycles.ts';

function graphOf(edges: Readonly<Record<string, readonly string[]>>): Map<string, Set<string>> {
  return new Map(Object.entries(edges).map(([node, targets]) => [node, new Set(targets)]));
}

test('finds no cycle in a tree, nor in two paths to the same node', () => {
  assert.deepEqual(cycles(graphOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] })), []);
});

test('finds each cycle once, the largest first', () => {
  const graph = graphOf({ a: ['b'], b: ['a'], c: ['d'], d: ['e', 'a'], e: ['c'] });
  assert.deepEqual(cycles(graph), [
    ['c', 'd', 'e'],
    ['a', 'b'],
  ]);
});

test('joins cycles that share a node', () => {
  assert.deepEqual(cycles(graphOf({ a: ['b'], b: ['a', 'c'], c: ['b'] })), [['a', 'b', 'c']]);
});

test('follows edges to nodes that the graph does not list', () => {
  assert.deepEqual(cycles(graphOf({ a: ['elsewhere'] })), []);
});
