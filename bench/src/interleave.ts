/** Implementation that a row measures. */
export interface Contender {
  readonly name: string;
  /** Takes one figure. A rejection is noted in the row; it does not end the run. */
  measure(): Promise<number>;
}

/** Figures of a contender. */
export type Figure = { readonly median: number } | { readonly failure: string };

/**
 * Lets contenders take turns, A B A B …, so that other load on the machine affects all of them equally. A first round
 * is a warm-up and is not counted; each round starts with the next contender. A contender that fails is left out from
 * then on.
 */
export async function interleave(contenders: readonly Contender[], rounds: number): Promise<Map<string, Figure>> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const failures = new Map<string, string>();
  for (let round = 0; round <= rounds; round++) {
    for (const contender of rotate(contenders, round)) {
      if (failures.has(contender.name)) continue;
      try {
        const figure = await contender.measure();
        if (round > 0) samples.get(contender.name)?.push(figure);
      } catch (error) {
        failures.set(contender.name, error instanceof Error ? error.message : String(error));
      }
    }
  }
  return new Map(
    [...samples].map(([name, figures]): [string, Figure] => {
      const failure = failures.get(name);
      return [name, failure === undefined ? { median: median(figures) } : { failure }];
    }),
  );
}

/** Returns how many milliseconds work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % Math.max(items.length, 1);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Returns the median of `values`, the mean of the two middle ones for an even number; `NaN` if empty. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return (lower + upper) / 2;
}
