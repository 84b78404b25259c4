import { named, repeat, rowsOf } from './hostile-pair.ts';
import type { HostilePair } from './hostile-pair.ts';

const megabyte = 1_000_000;

/** Pairs with long texts or with patterns that are slow to match or to compile. */
export const stringPairs: readonly HostilePair[] = [
  {
    name: '^(?:a?){900}a*$ for 200 strings',
    create: () => ({
      schema: rowsOf({ pattern: '^(?:a?){900}a*$' }),
      value: { rows: repeat(200, () => 'a'.repeat(900)) },
    }),
  },
  {
    name: '(.*a){900} for 200 strings',
    create: () => ({ schema: rowsOf({ pattern: '(.*a){900}' }), value: { rows: repeat(200, () => 'ab'.repeat(900)) } }),
  },
  {
    name: '^(a+)+$ for a megabyte',
    create: () => ({
      schema: { properties: { a: { pattern: '^(a+)+$' } } },
      value: { a: `${'a'.repeat(megabyte)}!` },
    }),
  },
  {
    name: 'a pattern of letters and digits for three megabytes',
    create: () => ({
      schema: { properties: { a: { pattern: '^[A-Za-z0-9+/]+=*$' } } },
      value: { a: 'aB3+'.repeat(750_000) },
    }),
  },
  {
    name: '1,000 patterns for one megabyte',
    create: () => ({
      schema: { properties: { a: { allOf: repeat(1_000, (index) => ({ pattern: `x${index}$` })) } } },
      value: { a: 'x'.repeat(megabyte) },
    }),
  },
  {
    name: '900 patterns of Unicode classes without case',
    create: () => ({
      schema: { properties: named(900, (index) => ({ pattern: `(?i)[^\\p{L}${index}]` })) },
      value: { p0: 'é' },
    }),
  },
  {
    name: '50 alternations of 400 words',
    create: () => ({
      schema: {
        properties: named(50, (at) => ({ pattern: repeat(400, (each) => `ab${(at * each) % 97}`).join('|') })),
      },
      value: { p0: 'ab'.repeat(10_000) },
    }),
  },
  {
    name: 'counted repetitions of counted repetitions',
    create: () => ({
      schema: { properties: named(100, (index) => ({ pattern: `((a{30}){30}b{${index}}){1,1}` })) },
      value: { p0: 'a'.repeat(50_000) },
    }),
  },
  {
    name: 'a pattern of 4,000 open groups',
    create: () => ({
      schema: { properties: { a: { pattern: `${'('.repeat(2_000)}a${')'.repeat(2_000)}` } } },
      value: { a: 'a'.repeat(1_000) },
    }),
  },
  ...(['minLength', 'maxLength'] as const).map((keyword) => ({
    name: `1,900 times ${keyword} for two megabytes of emoji`,
    create: () => ({
      schema: { properties: { a: { allOf: repeat(1_900, (index) => ({ [keyword]: 500_000 + index })) } } },
      value: { a: '😀'.repeat(500_000) },
    }),
  })),
  {
    name: '1,000 constants of 200 characters for 10,000 strings',
    create: () => ({
      schema: rowsOf({ allOf: repeat(1_000, (index) => ({ not: { const: `${'x'.repeat(190)}${index}` } })) }),
      value: { rows: repeat(10_000, (index) => `${'x'.repeat(189)}${index % 10}${index % 1_000}`) },
    }),
  },
  {
    name: '1,000 references to a constant of 200,000 characters',
    create: () => ({
      schema: {
        ...rowsOf({ allOf: repeat(1_000, () => ({ $ref: '#/$defs/long' })) }),
        $defs: { long: { const: 'x'.repeat(200_000) } },
      },
      value: { rows: repeat(15, () => 'x'.repeat(200_000)) },
    }),
  },
  {
    name: 'an enum of 40,000 strings for 200,000 strings',
    create: () => ({
      schema: rowsOf({ enum: repeat(30_000, (index) => `v${index}`) }),
      value: { rows: repeat(200_000, () => 'v29999') },
    }),
  },
];
