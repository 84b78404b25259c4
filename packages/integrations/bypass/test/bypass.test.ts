import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contenders, createGatedTool, measure, modes, pageOf } from '../src/index.ts';
import type { Contender, MeasuredContender, Measurement, Mode, Probe } from '../src/index.ts';

const page = join(import.meta.dirname, '../../../../docs/bypass.md');
const stopped = ['asked', 'refused', 'not offered'];
const answers = [...stopped, 'ran'];

function versionsOf({ packages }: Contender): Record<string, string> {
  const { dependencies } = createRequire(import.meta.url)('../package.json') as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.fromEntries(packages.map((name) => [name, dependencies[name] ?? 'unknown']));
}

interface Row {
  readonly without: Map<Mode, Measurement>;
  readonly with: Map<Mode, Measurement>;
  readonly variants: MeasuredContender['variants'][number][];
}

const rows = new Map<Contender, Row>(
  contenders.map((contender) => [contender, { without: new Map(), with: new Map(), variants: [] }]),
);

function measuredContender([contender, row]: [Contender, Row]): MeasuredContender {
  const cells = (measured: Map<Mode, Measurement>): MeasuredContender['with'] =>
    Object.fromEntries(measured) as MeasuredContender['with'];
  const { variants } = row;
  return { contender, versions: versionsOf(contender), without: cells(row.without), with: cells(row.with), variants };
}

describe.each([...rows].map(([contender, row]) => ({ name: contender.name, contender, row })))(
  '$name',
  ({ contender, row }) => {
    test.each(modes)('%s without Ravi: there is an answer', async (mode) => {
      const measured = await measure(contender.without[mode]);
      row.without.set(mode, measured);
      expect(answers, measured.reason).toContain(measured.outcome);
    });

    test.each(modes)('%s with Ravi: the tool does not run without a person', async (mode) => {
      const measured = await measure(contender.with[mode]);
      row.with.set(mode, measured);
      expect(stopped, measured.reason).toContain(measured.outcome);
    });

    for (const { mode, setting, probe } of contender.variants ?? []) {
      test(`${mode}, ${setting}: there is an answer`, async () => {
        const measurement = await measure(probe);
        row.variants.push({ mode, setting, measurement });
        expect(answers, measurement.reason).toContain(measurement.outcome);
      });
    }

    test.each(['without', 'with'])('a person approves, %s Ravi: the tool runs once', async (how) => {
      const gated = createGatedTool();
      await contender.controls[how === 'without' ? 0 : 1](gated, new AbortController().signal);
      expect(gated.effects).toEqual([{ id: '1' }]);
      expect(gated.unapproved).toEqual([]);
    });
  },
);

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
  expect(await measure({ notOffered: 'none' })).toMatchObject({ outcome: 'not offered', reason: 'none' });
});

test('docs/bypass.md has what was measured, and no effect came later', async () => {
  const all = [...rows].map((row) => measuredContender(row));
  for (const { without, with: withRavi, variants } of all) {
    const cells = [...Object.values(without), ...Object.values(withRavi), ...variants.map((each) => each.measurement)];
    for (const { outcome, unapproved } of cells) if (outcome !== 'ran') expect(unapproved).toEqual([]);
  }
  const text = pageOf(all);
  if (process.env['RAVI_WRITE_BYPASS'] === '1') writeFileSync(page, text);
  expect(normal(readFileSync(page, 'utf8'))).toBe(normal(text));
});

// The formatter aligns tables.
function normal(text: string): string {
  return text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---').trim();
}
