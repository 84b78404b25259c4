import assert from 'node:assert/strict';
import test from 'node:test';
import { euros } from '../src/euros.js';
import { total } from '../src/total.js';

test('total of an order without items is 0', () => {
  assert.equal(total([]), 0);
});

test('total counts an item as often as it is ordered', () => {
  assert.equal(total([{ price: 250, count: 4 }]), 1000);
});

test('euros writes two decimals', () => {
  assert.equal(euros(1050), '10.50 €');
});
