import { setTimeout as delay } from 'node:timers/promises';
import type { RunnerAnswer } from '../sandboxes/runner-child.ts';
import { runners } from '../sandboxes/runners.ts';
import type { RunnerName } from '../sandboxes/runners.ts';
import { waitsUnderWay } from '../sandboxes/tool-bodies.ts';
import { proportionalBytes } from './proportional-bytes.ts';

const patienceMs = 30_000;
const waitMs = 60_000;

// A host process that holds so many scripts open at once, and tells what it takes with all processes below it.
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

/** Until every script waits for its tool, or none came to it for a while. */
async function allLive(failures: readonly string[]): Promise<void> {
  let [live, since] = [0, Date.now()];
  while (live < count && failures.length === 0 && Date.now() - since < patienceMs) {
    await delay(20);
    if (waitsUnderWay() > live) [live, since] = [waitsUnderWay(), Date.now()];
  }
}
