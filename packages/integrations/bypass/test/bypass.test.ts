import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contenders, createGatedTool, measure, modes, pageOf } from '../src/index.ts';
import type { Contender, MeasuredContender, Measurement, Mode, Probe } from '../src/index.ts';

const page = join(import.meta.dirname, '../../../../docs/bypass.md');
const rows: MeasuredContender[] = [];

/** A framework with a process of its own takes seconds for each probe. */
const probeLimitMs = 400_000;

function versionsOf({ packages }: Contender): Record<string, string> {
  const { dependencies } = createRequire(import.meta.url)('../package.json') as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.fromEntries(packages.map((name) => [name, dependencies[name] ?? 'unknown']));
}

async function measureAll(probes: Contender['with']): Promise<Record<Mode, Measurement>> {
  const measured: Partial<Record<Mode, Measurement>> = {};
  for (const mode of modes) measured[mode] = await measure(probes[mode]);
  return measured as Record<Mode, Measurement>;
}

describe.each(contenders.map((contender) => ({ name: contender.name, contender })))('$name', ({ contender }) => {
  test(
    'no way to a tool of Ravi runs it without a person, and each way ends',
    async () => {
      const without = await measureAll(contender.without);
      const withRavi = await measureAll(contender.with);
      const variants: MeasuredContender['variants'][number][] = [];
      for (const { probe, ...variant } of contender.variants ?? []) {
        variants.push({ ...variant, measurement: await measure(probe) });
      }
      rows.push({ contender, versions: versionsOf(contender), without, with: withRavi, variants });
      for (const mode of modes) expect(['asked', 'refused', 'not offered'], mode).toContain(withRavi[mode].outcome);
      for (const { outcome, reason } of [
        ...Object.values(without),
        ...variants.map(({ measurement }) => measurement),
      ]) {
        expect(['failed', 'timed out'], reason).not.toContain(outcome);
      }
    },
    probeLimitMs,
  );

  test('with a person who approves, the tool runs once, with Ravi and without', async () => {
    for (const control of contender.controls) {
      const gated = createGatedTool();
      await control(gated, new AbortController().signal);
      expect(gated.effects).toEqual([{ id: '1' }]);
      expect(gated.unapproved).toEqual([]);
    }
  });
});

test('a measurement trusts the effect, tells time-outs, refusals and errors apart, and wants evidence', async () => {
  const ran: Probe = async (gated) => {
    await gated.execute({ id: '1' });
    return { asked: [gated.name] };
  };
  const ranOther: Probe = async (gated) => {
    gated.approve({ id: '1' });
    await gated.execute({ id: '2' });
    return { told: 'refused' };
  };
  const outcomes = [
    ran,
    ranOther,
    async () => ({}),
    async () => ({ told: 'no' }),
    () => Promise.reject(new Error('x')),
  ];
  const measured = await Promise.all(outcomes.map((probe) => measure(probe)));
  expect(measured.map(({ outcome }) => outcome)).toEqual(['ran', 'ran', 'failed', 'refused', 'failed']);
  expect(await measure({ notOffered: 'none' })).toEqual({ outcome: 'not offered', reason: 'none' });
});

test('docs/bypass.md has what was measured', async () => {
  expect(rows).toHaveLength(contenders.length);
  const text = pageOf(rows);
  if (process.env['RAVI_WRITE_BYPASS'] === '1') writeFileSync(page, text);
  expect(normal(readFileSync(page, 'utf8'))).toBe(normal(text));
});

// The formatter aligns tables.
function normal(text: string): string {
  return text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---').trim();
}
