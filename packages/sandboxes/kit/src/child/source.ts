import { guestSource, nameKeeper, scriptName } from '../guest/source.ts';
import { createRecordCodec } from '../protocol/records.ts';
import { createFrameReader } from './frame-reader.ts';
import { createFrameWriter } from './frame-writer.ts';
import { createPump } from './pump.ts';
import type { ExpectedRun } from './pump.ts';
import type { OpenRealm } from './realm.ts';
import { serveRuns } from './serve-runs.ts';
import type { ChildGuest, ChildPort } from './serve-runs.ts';

/** Channel of a child: JavaScript expressions for its descriptors, which may use `fs`. */
export interface ChildChannel {
  readonly input: string;
  readonly output: string;
}

/** Returns the program for `node -e`, which reads the real program from the channel, so that it is not on the command line. */
export function bootstrapSource({ input, output }: ChildChannel): string {
  return [
    "const fs = process.getBuiltinModule('node:fs');",
    `const input = ${input}, output = ${output};`,
    'const read = (length) => { const bytes = Buffer.alloc(length);',
    'for (let at = 0; at < length;) at += fs.readSync(input, bytes, at, length - at) || process.exit(); return bytes; };',
    '(0, eval)(read(read(4).readUInt32LE()).toString())(input, output);',
  ].join(' ');
}

/** Milliseconds of processor time for which a guest polls for a reply before it sleeps. */
export const guestLookMs = 0.1;

const defaultExpectedRun: ExpectedRun = { memoryBytes: 134_217_728, prelude: '' };

/**
 * Returns the program of a child process, a function of its channel. `openRealm` is a self-contained function that takes
 * `argument` (JSON) and returns the adapter's `OpenRealm`; it is sent to the child as text.
 */
export function childSource(options: {
  readonly openRealm: (argument: never) => OpenRealm;
  readonly argument: unknown;
  readonly expected?: ExpectedRun;
}): string {
  return programOf(`(${createPump})({
  port,
  guestSource: ${JSON.stringify(guestSource)},
  scriptName: ${JSON.stringify(scriptName)},
  expected: ${JSON.stringify(options.expected ?? defaultExpectedRun)},
  openRealm: (${options.openRealm})(${JSON.stringify(options.argument)}),
})`);
}

/**
 * Returns the program of a child process whose guest is not JavaScript. `openGuest` is a self-contained function that takes
 * the channel to the host and `argument` (JSON); it is sent to the child as text.
 */
export function guestProgram<Argument>(options: {
  readonly openGuest: (port: ChildPort, argument: Argument) => ChildGuest;
  readonly argument: Argument;
}): string {
  return programOf(`(${options.openGuest})(port, ${JSON.stringify(options.argument)})`);
}

function programOf(guest: string): string {
  return `(input, output) => { ${nameKeeper}
const port = {
  codec: (${createRecordCodec})({ indexOf: (text, search, from) => text.indexOf(search, from), slice: (text, start, end) => text.slice(start, end) }),
  input: (${createFrameReader})(input, ${guestLookMs}), send: (${createFrameWriter})(output),
};
(${serveRuns})(port, ${guest}); }`;
}
