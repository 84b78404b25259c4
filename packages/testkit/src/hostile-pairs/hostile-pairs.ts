import { combinatorPairs } from './combinators.ts';
import { named, repeat } from './hostile-pair.ts';
import type { HostilePair } from './hostile-pair.ts';
import { listPairs } from './lists.ts';
import { objectPairs } from './objects.ts';
import { stringPairs } from './strings.ts';

/** Pairs whose schemas are slow to compile. */
const schemaPairs: readonly HostilePair[] = [
  {
    name: '3,900 patternProperties',
    create: () => ({
      schema: { patternProperties: Object.fromEntries(repeat(3_900, (index) => [`a${index}`, { type: 'string' }])) },
      value: named(2_000, () => 1),
    }),
  },
  {
    name: '1,900 schemas with their own $id',
    create: () => ({
      schema: {
        $defs: named(1_900, (index) => ({ $id: `https://example.com/${index}`, type: 'string' })),
        properties: named(1_900, (index) => ({ $ref: `https://example.com/${index}` })),
      },
      value: named(1_900, () => 'x'),
    }),
  },
  {
    name: '150 enums of 199 values',
    create: () => ({
      schema: { properties: named(150, () => ({ enum: repeat(199, (index) => `v${index}`) })) },
      value: named(150, () => 'v198'),
    }),
  },
  {
    name: '3,990 properties',
    create: () => ({
      schema: { properties: named(3_990, () => ({ type: 'string' })) },
      value: named(3_990, () => 'x'),
    }),
  },
  {
    name: 'a description of 250,000 characters',
    create: () => ({ schema: { description: '<b>\u0000'.repeat(25_000), type: 'object' }, value: {} }),
  },
];

/**
 * Schemas and values made to stall a validator. Every place that takes a schema or validates a value has to refuse each pair
 * or finish it without blocking the event loop for more than {@link maxBlockMs}.
 */
export const hostilePairs: readonly HostilePair[] = [
  ...combinatorPairs,
  ...stringPairs,
  ...listPairs,
  ...objectPairs,
  ...schemaPairs,
];

/** Longest time that one pair may block the event loop, in milliseconds. */
export const maxBlockMs = 250;
