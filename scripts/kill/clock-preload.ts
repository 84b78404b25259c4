import { readFileSync, watchFile } from 'node:fs';
// As `npm start` does.
import '../../apps/monolith/bundle/use.mjs';

/**
 * Preloaded into the server: shifts its wall clock by the milliseconds in a file next to its configuration, at the start and
 * whenever the file changes. The monotonic clock is not shifted, as when an operator sets the time.
 */
const file = `${process.argv[process.argv.indexOf('--config') + 1]}.clock`;
const RealDate = Date;
let offsetMs = readOffset();

// A server must not survive a kill test that was killed.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();

watchFile(file, { interval: 200, persistent: false }, () => {
  offsetMs = readOffset();
});

class ShiftedDate extends RealDate {
  static override now(): number {
    return RealDate.now() + offsetMs;
  }

  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }
}

globalThis.Date = ShiftedDate as DateConstructor;

function readOffset(): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
