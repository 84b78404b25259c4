import type { ChildGuest, ChildPort } from './serve-runs.ts';
import type { OpenRealm, Realm, RealmFault } from './realm.ts';

/** Parts of a pump. */
export interface PumpParts {
  readonly guestSource: string;
  readonly scriptName: string;
  readonly openRealm: OpenRealm;
  readonly port: ChildPort;
  readonly expected: ExpectedRun;
}

/** The probable first run; a wrong guess costs that run a millisecond or two. */
export interface ExpectedRun {
  readonly memoryBytes: number;
  readonly prelude: string;
}

/**
 * Creates the guest of a child that runs JavaScript: a blocking pump without an event loop. It reads a frame, runs the guest
 * on this thread until it waits for the host, and writes one frame.
 * Runs in the child: it must refer to nothing outside itself.
 */
export function createPump({ guestSource, scriptName, openRealm, port, expected }: PumpParts): ChildGuest {
  const { codec, input, send } = port;
  const graceMs = 50;

  interface Prepared {
    readonly realm: Realm;
    readonly memoryBytes: number;
    readonly prelude: string;
    /** Limits that the guest holds: most runs have the same limits as the previous one. */
    readonly limits: string;
    readonly names: string | RealmFault;
  }
  let prepared = prepare(expected.memoryBytes, expected.prelude, '');

  return { rehearse, run, renew: () => renew(prepared.memoryBytes, prepared.prelude, prepared.limits) };

  function rehearse(frame: string): void {
    const { field } = codec.read(frame, 1);
    const memory = Number(field());
    renew(memory, field() as string, prepared.limits);
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
}
