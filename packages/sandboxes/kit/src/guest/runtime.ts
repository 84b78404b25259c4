import type { RecordCodec } from '../protocol/records.ts';
import type { Builtins } from './builtins.ts';
import type { CallEvents, GuestCalls } from './calls.ts';
import type { GuestConsole } from './console.ts';
import type { ErrorFields } from './describe-error.ts';
import type { Inspect } from './inspect.ts';
import type { SerializedValue } from './serialize.ts';
import type { GuestTimers } from './timers.ts';

/** Parts of the runtime: the factories in this folder. */
export interface RuntimeParts {
  readonly builtins: Builtins;
  readonly codec: RecordCodec;
  readonly inspect: Inspect;
  readonly serialize: (value: unknown, maxBytes: number) => SerializedValue;
  readonly readError: (thrown: unknown) => ErrorFields;
  /** Globals of scripts other than console and timers. */
  readonly globals: Readonly<Record<string, unknown>>;
  createConsole(builtins: Builtins, inspect: Inspect, emit: (level: string, text: string) => void): GuestConsole;
  createCalls(builtins: Builtins, codec: RecordCodec, events: CallEvents): GuestCalls;
  createTimers(builtins: Builtins): GuestTimers;
}

/** Functions of a guest that the child calls. Arguments and results are text, except the two compiled functions. */
export interface GuestRuntime {
  /** Runs the prelude; returns the names that it defines, separated by commas. */
  prelude(define: (host: unknown) => unknown): string;
  /** Sets a function that sends a frame while user code runs. Without it, output is sent only by `drain`. */
  connect(send: (frame: string) => void): void;
  /** Sets the limits: one record. May be called again, until the script starts. */
  limit(limits: string): void;
  /** Starts the script. */
  script(create: (...values: unknown[]) => () => unknown): void;
  /** Handles records from the host. */
  deliver(text: string): void;
  /**
   * Returns what is to be sent: `m` (call again), `f` (fire a timer, then call again), `w` (waits for the host) or `e`
   * (ended), then records. Runs no user code.
   */
  drain(): string;
  /** Runs the callback of the next due timer. */
  fire(): void;
  /** Returns the output so far, for a run that the child has ended. */
  flush(): string;
}

/**
 * Creates the runtime of one guest, which runs one script from its start to its outcome.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createRuntime(parts: RuntimeParts): GuestRuntime {
  const { builtins, codec, serialize, readError, globals } = parts;
  const { apply, defineProperty, hasOwn, ownKeys, regExpExec, then, toNumber, toText, TypeError } = builtins;
  const identifier = /^[A-Za-z_$][\w$]*$/;
  let output = '';
  let unsent = '';
  let outcome: string | undefined;
  let wokenAt: number | undefined;
  let requestedWake: number | undefined;
  let maxResultBytes = 0;
  let names = '';
  let send: ((frame: string) => void) | undefined;
  let started = false;
  const values: unknown[] = [];

  const console = parts.createConsole(builtins, parts.inspect, (level, text) => {
    if (outcome === undefined) output += codec.encode('l', level, text);
  });
  const timers = parts.createTimers(builtins);
  const calls = parts.createCalls(builtins, codec, {
    onTooMany: () => end(codec.encode('k', 'calls', '')),
    onFull: sendEarly,
  });

  install(globals);
  install(timers.api);
  install({ console: console.api });

  return {
    prelude(define) {
      const defined = define(calls.host) as Record<string, unknown> | undefined;
      const keys = defined === undefined ? [] : (ownKeys(defined) as string[]);
      for (let index = 0; index < keys.length; index++) {
        const name = keys[index] as string;
        if (regExpExec(identifier, name) === null) throw new TypeError('The prelude defines ' + name);
        names += (index === 0 ? '' : ',') + name;
        defineProperty(values, index, { value: defined?.[name] });
      }
      return names;
    },
    connect(way) {
      send = way;
    },
    limit(limits) {
      const { field } = codec.read(limits, 0);
      console.limit(toNumber(field()));
      maxResultBytes = toNumber(field());
      calls.limit(toNumber(field()), toNumber(field()), toNumber(field()));
    },
    script(create) {
      started = true;
      try {
        const main = apply(create, undefined, values);
        then(apply(main, undefined, []), succeed, fail);
      } catch (error) {
        fail(error);
      }
    },
    deliver(text) {
      const { kind, field } = codec.read(text, 0);
      for (;;) {
        const next = kind();
        if (next === '') return;
        if (next === 'a') calls.resolve(toNumber(field()), field() as string);
        else if (next === 'f') calls.reject(toNumber(field()), field() as string, field() as string, field() as string);
        else wokenAt = builtins.now();
      }
    },
    drain() {
      if (outcome === undefined && wokenAt !== undefined) {
        if (timers.isDue(wokenAt)) return 'f';
        wokenAt = requestedWake = undefined;
      }
      const records = takeCalls();
      if (outcome === undefined && calls.hasRoom()) return 'm' + flush() + records;
      if (outcome === undefined && !calls.isWaiting() && timers.untilNext() === undefined) {
        end(started ? codec.encode('b') : codec.encode('z', 'the script could not be started'));
      }
      if (outcome !== undefined) return 'e' + flush() + records + outcome;
      return 'w' + flush() + records + wakeRecord();
    },
    fire() {
      try {
        timers.fire();
      } catch (error) {
        fail(error);
      }
    },
    flush,
  };

  // The host starts the first calls while the script still makes others. Calls that could not be sent are sent with the
  // next frame.
  function sendEarly(): void {
    if (send === undefined || outcome !== undefined) return;
    unsent = takeCalls();
    send('m' + unsent);
    unsent = '';
  }

  function takeCalls(): string {
    const records = unsent + calls.takeRecords();
    unsent = '';
    return records;
  }

  function wakeRecord(): string {
    const delayMs = timers.untilNext();
    if (delayMs === undefined) return '';
    const due = builtins.now() + delayMs;
    if (requestedWake !== undefined && requestedWake <= due) return '';
    requestedWake = due;
    return codec.encode('t', toText(delayMs));
  }

  function flush(): string {
    const dropped = console.takeDropped();
    const text = dropped === 0 ? output : output + codec.encode('d', toText(dropped));
    output = '';
    return text;
  }

  function succeed(value: unknown): void {
    if (outcome !== undefined) return;
    let result: SerializedValue;
    try {
      result = serialize(value, maxResultBytes);
    } catch (error) {
      fail(error);
      return;
    }
    if (result.status === 'none') end(codec.encode('u'));
    else if (result.status === 'text') end(codec.encode('r', result.text));
    else if (result.status === 'too-large') end(codec.encode('k', 'result', toText(result.atLeast)));
    else end(codec.encode('x', 'TypeError', 'The script returned ' + result.message, 'E_RESULT_NOT_JSON', '', ''));
  }

  function fail(error: unknown): void {
    const { name, message, code, line, column } = readError(error);
    end(codec.encode('x', name, message, code, line, column));
  }

  function end(record: string): void {
    outcome ??= record;
  }

  function install(names: Readonly<Record<string, unknown>>): void {
    const keys = ownKeys(names) as string[];
    for (let index = 0; index < keys.length; index++) {
      const name = keys[index] as string;
      if (hasOwn(names, name)) {
        defineProperty(globalThis, name, { value: names[name], configurable: true, writable: true, enumerable: false });
      }
    }
  }
}
