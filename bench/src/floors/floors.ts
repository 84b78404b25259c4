import type { BenchGroup } from '../row.ts';
import { rowsOf } from '../rows-of.ts';
import type { Measurement } from '../rows-of.ts';
import { openPipeFloor } from './pipe-floor.ts';
import type { PipeFloor } from './pipe-floor.ts';

/** Measures the best that the machine allows, without Ravi. */
export const benchFloors: BenchGroup = async ({ rounds }) => {
  await using stream = openPipeFloor('stream');
  await using blocking = openPipeFloor('blocking');
  const functionMeasurement = {
    group: 'floors',
    name: 'awaited call of a bare function',
    unit: 'µs',
    ours: { name: 'function', measure: () => functionCallUs(100_000) },
  };
  return [
    ...(await rowsOf(pipeMeasurement('stdio pipe, round trip to a child with an event loop', stream), rounds)),
    ...(await rowsOf(pipeMeasurement('stdio pipe, round trip to a child that blocks', blocking), rounds)),
    ...(await rowsOf(functionMeasurement, rounds)),
  ];
};

function pipeMeasurement(name: string, pipe: PipeFloor): Measurement {
  const ours = { name: 'pipe', measure: async () => (await pipe.roundTripMs(500)) * 1000 };
  return { group: 'floors', name, unit: 'µs', ours };
}

/** Microseconds per awaited call of an asynchronous function that does nothing: the least a call can cost. */
export async function functionCallUs(count: number): Promise<number> {
  const echo = async (args: { readonly value: number }): Promise<{ readonly value: number }> => ({ value: args.value });
  let sum = 0;
  const start = performance.now();
  for (let value = 0; value < count; value++) sum += (await echo({ value })).value;
  const elapsedMs = performance.now() - start;
  if (sum !== (count * (count - 1)) / 2) throw new TypeError('The loop did not call every function');
  return (elapsedMs * 1000) / count;
}
