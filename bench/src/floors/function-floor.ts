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
