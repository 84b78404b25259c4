import { contenders } from './contender.ts';
import type { Contender } from './contender.ts';
import { commandCases } from './cases/command-cases.ts';
import { readCases, writeCases } from './cases/path-cases.ts';
import { repositoryCases } from './cases/repository-cases.ts';
import { sizeCases } from './cases/size-cases.ts';
import { updateCases } from './cases/update-cases.ts';
import { webCases } from './cases/web-cases.ts';
import { HostHarm } from './host/host-process.ts';
import type { HostileCase } from './hostile-case.ts';
import { openLab } from './world/lab.ts';
import type { Lab } from './world/lab.ts';
import { openWorld } from './world/world.ts';
import type { World } from './world/world.ts';

/**
 * Outcome of a case. `held`: no harm, also after an approval. `asked`: harm, after a person approved. `harmed`: harm, and no person was asked.
 * `not offered`: there is no such tool. `failed`: the case could not be carried out.
 */
export type Outcome = 'held' | 'asked' | 'harmed' | 'not offered' | 'failed';

/** Measured cell. */
export interface Measurement {
  readonly outcome: Outcome;
  /** Harm that the world showed, reason why there is no tool, or the error. */
  readonly reason?: string;
}

/** Measured row. */
export interface MeasuredCase {
  readonly hostileCase: HostileCase;
  readonly byContender: Readonly<Record<Contender['id'], Measurement>>;
}

/** Cases in the order of the page. */
export const cases: readonly HostileCase[] = [
  ...readCases,
  ...writeCases,
  ...updateCases,
  ...sizeCases,
  ...commandCases,
  ...repositoryCases,
  ...webCases,
];

/** Measures cases for all contenders. The contenders run side by side, the cases of each one after the other. */
export async function measureAll(
  wanted: readonly HostileCase[] = cases,
  onMeasured: (contender: Contender, hostileCase: HostileCase, measured: Measurement, ms: number) => void = () => {},
): Promise<readonly MeasuredCase[]> {
  const measured = await Promise.all(
    contenders.map(async (contender) => {
      await using lab = await openLab(contender);
      const column: Measurement[] = [];
      for (const hostileCase of wanted) {
        const start = performance.now();
        const cell = await measure(lab, hostileCase);
        onMeasured(contender, hostileCase, cell, performance.now() - start);
        column.push(cell);
      }
      return [contender.id, column] as const;
    }),
  );
  const columns = Object.fromEntries(measured);
  return wanted.map((hostileCase, row) => {
    const cells = contenders.map(({ id }) => [id, columns[id]?.[row]] as const);
    return { hostileCase, byContender: Object.fromEntries(cells) as MeasuredCase['byContender'] };
  });
}

/** Measures one cell. */
async function measure(lab: Lab, { needs, attack }: HostileCase): Promise<Measurement> {
  const missing = needs.map((kind) => lab.contender.notOffered[kind]).find((reason) => reason !== undefined);
  if (missing !== undefined) return { outcome: 'not offered', reason: missing };
  try {
    await using world = await openWorld(lab);
    const harm = await harmOf(world, attack);
    if (harm === undefined) return { outcome: 'held' };
    return { outcome: world.isAsked ? 'asked' : 'harmed', reason: harm };
  } catch (error) {
    return { outcome: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function harmOf(world: World, attack: HostileCase['attack']): Promise<string | undefined> {
  try {
    return await attack(world);
  } catch (error) {
    if (!(error instanceof HostHarm)) throw error;
    // What it still does must not reach the next case.
    await world.host[Symbol.asyncDispose]();
    return error.message;
  }
}
