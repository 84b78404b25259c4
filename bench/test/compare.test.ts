import { match, strictEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { claims } from '../src/compare/claims.ts';
import { ravi } from '../src/compare/ravi.ts';

const [approval, mistake, large] = claims;

test('a tool that needs approval does not run without an approver', async () => {
  strictEqual(await approval?.show(ravi), '0');
});

test('a misspelt call is found before the calls above it have an effect', async () => {
  strictEqual(await mistake?.show(ravi), '0');
});

test('a model gets the beginning of a large value and a reference to the whole', async () => {
  match((await large?.show(ravi)) ?? '', /^\d kB: the beginning, and a reference$/);
});
