import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Returns a function that names new database files below a folder that is removed after the tests of the file. */
export async function createPlaces(): Promise<() => string> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-state-sqlite-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  let places = 0;
  return () => join(folder, `place-${(places += 1)}`, 'state.db');
}
