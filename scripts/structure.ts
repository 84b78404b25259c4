import { readSources } from './structure/import-graph.ts';
import { measureTargets } from './structure/targets.ts';

/** `structure [--places]`: prints how the structure of the repository measures up, and fails when a limit is passed. */
const showsPlaces = process.argv.includes('--places');
const targets = measureTargets(readSources());
for (const { name, measured, limit, places } of targets) {
  const isMet = measured <= limit;
  console.log(`${isMet ? 'ok    ' : 'missed'} ${String(measured).padStart(4)} of at most ${limit}  ${name}`);
  if (showsPlaces || !isMet) for (const place of places) console.log(`         ${place}`);
}
if (targets.some(({ measured, limit }) => measured > limit)) process.exitCode = 1;
