import type { BenchGroup } from '../group.ts';
import { rowsOf } from '../rows-of.ts';
import { functionCallUs } from './function-floor.ts';
import { openPipeFloor } from './pipe-floor.ts';

/** What the machine allows at best, with nothing of ours in the way. */
export const benchFloors: BenchGroup = async ({ rounds }) => {
  await using pipe = openPipeFloor();
  const pipeMeasurement = {
    group: 'floors',
    name: 'stdio pipe, round trip to a blocking child',
    unit: 'µs',
    ours: { name: 'pipe', measure: async () => (await pipe.roundTripMs(500)) * 1000 },
  };
  const functionMeasurement = {
    group: 'floors',
    name: 'awaited call of a bare function',
    unit: 'µs',
    ours: { name: 'function', measure: () => functionCallUs(100_000) },
  };
  return [...(await rowsOf(pipeMeasurement, rounds)), ...(await rowsOf(functionMeasurement, rounds))];
};
