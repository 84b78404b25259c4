import { setImmediate } from 'node:timers/promises';

/** Lets everything that is ready to run do so: resolved promises and their reactions, without any time passing. */
export async function settle(): Promise<void> {
  await setImmediate();
}
