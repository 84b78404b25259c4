import { match, strictEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { claims } from '../src/compare/claims.ts';
import { ravi } from '../src/compare/ravi.ts';

const [approval, mistake, large] = claims;

test('here a tool that needs approval does not run while nobody is there', async () => {
  strictEqual(await approval?.show(ravi), '0');
});

test('here a misspelt call is found before the calls above it have had their effect', async () => {
  strictEqual(await mistake?.show(ravi), '0');
});

test('here a model gets the beginning of what is large, and a reference to the whole', async () => {
  match((await large?.show(ravi)) ?? '', /^\d kB: the beginning, and a reference$/);
});
