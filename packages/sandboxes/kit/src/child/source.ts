import { guestSource, scriptName } from '../guest/source.ts';
import { createRecordCodec } from '../protocol/records.ts';
import { runPump } from './pump.ts';
import type { OpenRealm } from './realm.ts';

/** The program that `node -e` gets: it reads the real one from the channel, so that no command line carries it. */
export const bootstrapSource: string = [
  "const { readSync } = process.getBuiltinModule('node:fs');",
  'const read = (length) => { const bytes = Buffer.alloc(length);',
  'for (let at = 0; at < length;) at += readSync(3, bytes, at, length - at) || process.exit(); return bytes; };',
  '(0, eval)(read(read(4).readUInt32LE()).toString());',
].join(' ');

/**
 * The program of a child process. `openRealm` makes the adapter's realms: a self-contained function that takes
 * `argument` (JSON) and gives an `OpenRealm`; it goes to the child as text.
 */
export function childSource(options: {
  readonly openRealm: (argument: never) => OpenRealm;
  readonly argument: unknown;
}): string {
  return `(${runPump})({
  codec: (${createRecordCodec})({ indexOf: (text, search, from) => text.indexOf(search, from), slice: (text, start, end) => text.slice(start, end) }),
  guestSource: ${JSON.stringify(guestSource)},
  scriptName: ${JSON.stringify(scriptName)},
  openRealm: (${options.openRealm})(${JSON.stringify(options.argument)}),
})`;
}
