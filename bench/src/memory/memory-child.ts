import { setTimeout as delay } from 'node:timers/promises';
import type { RunnerAnswer } from '../sandboxes/runner-child.ts';
import { runners } from '../sandboxes/runners.ts';
import type { RunnerName } from '../sandboxes/runners.ts';
import { waitsUnderWay } from '../sandboxes/tool-bodies.ts';
import { proportionalBytes } from './proportional-bytes.ts';

const patienceMs = 30_000;
const waitMs = 60_000;

// Host process that keeps a number of scripts open at once and reports its memory, with that of its child processes.
const [name, count] = [process.argv[2] as RunnerName, Number(process.argv[3])];
process.send?.(await measure());

async function measure(): Promise<RunnerAnswer> {
  const runner = await runners[name]({ liveScripts: count });
  const code = `return ${runner.reference('wait')}({ milliseconds: ${waitMs} })`;
  const failures: string[] = [];
  for (let index = 0; index < count; index++) {
    runner.run(code).catch((error: unknown) => failures.push(String(error)));
  }
  await allLive(failures);
  if (failures.length > 0) return { failure: failures[0] ?? '' };
  if (waitsUnderWay() < count) return { failure: `only ${waitsUnderWay()} of ${count} live at once` };
  globalThis.gc?.();
  return { figure: proportionalBytes() / 1_048_576 };
}

/** Waits until every script waits for its tool, or no further script does so for a while. */
async function allLive(failures: readonly string[]): Promise<void> {
  let [live, since] = [0, Date.now()];
  while (live < count && failures.length === 0 && Date.now() - since < patienceMs) {
    await delay(20);
    if (waitsUnderWay() > live) [live, since] = [waitsUnderWay(), Date.now()];
  }
}
