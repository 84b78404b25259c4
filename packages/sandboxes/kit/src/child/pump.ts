import type { RecordCodec } from '../protocol/records.ts';
import type { FrameReader } from './frame-reader.ts';
import type { OpenRealm, Realm, RealmFault } from './realm.ts';

/** Parts of a pump. */
export interface PumpParts {
  readonly codec: RecordCodec;
  readonly guestSource: string;
  readonly scriptName: string;
  readonly openRealm: OpenRealm;
  /** Reader of the frames that the host sends. */
  readonly input: FrameReader;
  /** Descriptor of the channel to the host. */
  readonly output: number;
  readonly expected: ExpectedRun;
}

/** The probable first run; a wrong guess costs that run a millisecond or two. */
export interface ExpectedRun {
  readonly memoryBytes: number;
  readonly prelude: string;
}

/**
 * Runs the child process: a blocking pump without an event loop. It reads a frame, runs the guest on this thread until it
 * waits for the host, and writes one frame. After the outcome is sent it prepares the next guest.
 * Runs in the child: it must refer to nothing outside itself.
 */
export function runPump({ codec, guestSource, scriptName, openRealm, input, output, expected }: PumpParts): never {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const graceMs = 50;
  const hostTurnMs = 1;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const shortFrame = Buffer.allocUnsafe(65_536);

  interface Prepared {
    readonly realm: Realm;
    readonly memoryBytes: number;
    readonly prelude: string;
    /** Limits that the guest holds: most runs have the same limits as the previous one. */
    readonly limits: string;
    readonly names: string | RealmFault;
  }
  let prepared = prepare(expected.memoryBytes, expected.prelude, '');
  for (;;) {
    send('y');
    let frame = input.read(false);
    while (isLate(frame)) frame = input.read(false);
    if (frame[0] === 'p') rehearse(frame);
    else {
      run(frame);
      letHostRun();
      renew(prepared.memoryBytes, prepared.prelude, prepared.limits);
    }
  }

  // Replies and wakes that were sent before the end of the last run arrived; a start frame begins with a digit.
  function isLate(frame: string): boolean {
    return frame[0] === 'a' || frame[0] === 'f' || frame[0] === 'w';
  }

  function rehearse(frame: string): void {
    const { field } = codec.read(frame, 1);
    const memory = Number(field());
    renew(memory, field() as string, prepared.limits);
  }

  // The system often wakes the host on the core of the process that wrote to it. There it would wait until the next guest
  // is prepared, which takes longer than a short script.
  function letHostRun(): void {
    Atomics.wait(sleeper, 0, 0, hostTurnMs);
  }

  function renew(memory: number, prelude: string, limits: string): void {
    prepared.realm.dispose();
    prepared = prepare(memory, prelude, limits);
  }

  function prepare(memory: number, prelude: string, limits: string): Prepared {
    const realm = openRealm(guestSource, memory);
    realm.allowCpu(10_000);
    realm.connect(send);
    const limited = limits === '' ? '' : realm.call('limit', limits);
    const names = realm.load('prelude', `(function (host) {${prelude}\n})`, 'prelude.js', 0);
    return { realm, memoryBytes: memory, prelude, limits, names: typeof limited === 'string' ? names : limited };
  }

  function run(start: string): void {
    const { field } = codec.read(start, 0);
    const next = (): string => field() as string;
    const [memory, cpuTimeMs, limits, sent, code] = [Number(next()), Number(next()), next(), next(), next()];
    const prelude = sent === '=' ? prepared.prelude : sent;
    if (prepared.memoryBytes !== memory || prepared.prelude !== prelude) renew(memory, prelude, limits);
    const { realm, names } = prepared;
    if (typeof names !== 'string') return fail(realm, names);
    realm.allowCpu(cpuTimeMs);
    const opening = `(function (${names}) {return async function () {`;
    const source = `${opening}${code}\n}})`;
    const limited = prepared.limits === limits ? '' : realm.call('limit', limits);
    prepared = { ...prepared, limits };
    const started = typeof limited === 'string' ? realm.load('script', source, scriptName, -opening.length) : limited;
    if (isOver(started)) return fail(realm, started);
    for (;;) {
      const text = realm.call('drain', '');
      if (typeof text !== 'string') return fail(realm, text);
      if (text.length > 1 || text === 'w') send(text);
      if (text[0] === 'e') return;
      if (text[0] === 'm') continue;
      const went = text[0] === 'f' ? realm.call('fire', '') : realm.call('deliver', input.read(true));
      if (isOver(went)) return fail(realm, went);
    }
  }

  // A crash from an entry that runs user code is an unhandled rejection: the next drain reports the state of the guest.
  function isOver(result: string | RealmFault): result is RealmFault {
    return typeof result !== 'string' && result.kind !== 'crash';
  }

  function fail(realm: Realm, fault: RealmFault): void {
    realm.allowCpu(graceMs);
    const output = realm.call('flush', '');
    send('e' + (typeof output === 'string' ? output : '') + recordOf(fault));
  }

  function recordOf(fault: RealmFault): string {
    if (fault.kind === 'limit') return codec.encode('k', fault.limit, '');
    if (fault.kind === 'crash') return codec.encode('z', fault.message);
    return codec.encode('x', 'SyntaxError', fault.message, '', String(fault.line), String(fault.column));
  }

  function send(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    const frame =
      text.length * 3 + 4 <= shortFrame.length ? shortFrame : Buffer.allocUnsafe(4 + Buffer.byteLength(text));
    const length = frame.write(text, 4);
    frame.writeUInt32LE(length, 0);
    const end = 4 + length;
    for (let sent = 0; sent < end;) sent += writeSync(output, frame, sent, end - sent, null);
  }
}
