import type { Builtins } from './builtins.ts';
import type { Inspect } from './inspect.ts';

/** The console of a guest. */
export interface GuestConsole {
  /** The object that scripts see. */
  readonly api: Readonly<Record<string, (...values: unknown[]) => void>>;
  /** Sets the limit; earlier output counts too. */
  limit(maxBytes: number): void;
  /** Returns the UTF-8 bytes that were dropped since the last call. */
  takeDropped(): number;
}

/**
 * Creates a `console` with a limit in bytes: a line costs its UTF-8 bytes and one for the line break, the line that reaches
 * the limit is cut between characters, and the rest is only counted.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createConsole(
  builtins: Builtins,
  inspect: Inspect,
  emit: (level: string, text: string) => void,
): GuestConsole {
  const { charCodeAt, indexOf, slice, freeze, createTable, now, toText } = builtins;
  // By label, in objects without a prototype, so that any label is valid.
  const counts = createTable<number | undefined>();
  const timers = createTable<number | undefined>();
  let left = 0;
  let dropped = 0;
  let indent = '';

  const writer =
    (level: string) =>
    (...values: unknown[]): void =>
      write(level, values);
  const api = {
    log: writer('log'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    debug: writer('debug'),
    dir: (value: unknown): void => write('log', [value]),
    table: writer('log'),
    trace: writer('debug'),
    assert: (holds: unknown, ...values: unknown[]): void => {
      if (!holds) write('error', values, 'Assertion failed');
    },
    group: openGroup,
    groupCollapsed: openGroup,
    groupEnd: (): void => {
      indent = slice(indent, 2, indent.length);
    },
    count: (label: unknown = 'default'): void => {
      const name = toText(label);
      const count = (counts[name] ?? 0) + 1;
      counts[name] = count;
      write('log', [name + ': ' + count]);
    },
    countReset: (label: unknown = 'default'): void => {
      counts[toText(label)] = undefined;
    },
    time: (label: unknown = 'default'): void => {
      timers[toText(label)] = now();
    },
    timeLog: (label: unknown = 'default', ...values: unknown[]): void => writeTime(label, values),
    timeEnd: (label: unknown = 'default'): void => {
      writeTime(label, []);
      timers[toText(label)] = undefined;
    },
  };

  return {
    api: freeze(api),
    limit(maxBytes) {
      left = maxBytes;
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };

  function openGroup(...values: unknown[]): void {
    if (values.length > 0) write('log', values);
    indent += '  ';
  }

  function writeTime(label: unknown, values: readonly unknown[]): void {
    const startedAt = timers[toText(label)];
    if (startedAt !== undefined) write('log', values, toText(label) + ': ' + (now() - startedAt) + 'ms');
  }

  function write(level: string, values: readonly unknown[], prefix = ''): void {
    let text = prefix;
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      text += (text === '' ? '' : ' ') + (typeof value === 'string' ? value : inspect(value));
    }
    if (indent !== '') text = indented(text);
    const whole = measure(text, Infinity);
    const kept = measure(text, left - 1);
    if (kept.units > 0 || (text === '' && left > 0)) {
      left = kept.units === text.length ? left - kept.bytes - 1 : 0;
      emit(level, kept.units === text.length ? text : slice(text, 0, kept.units));
      dropped += whole.bytes - kept.bytes;
      return;
    }
    left = 0;
    dropped += whole.bytes + 1;
  }

  function indented(text: string): string {
    let lines = '';
    let start = 0;
    for (let end = indexOf(text, '\n', 0); end !== -1; end = indexOf(text, '\n', start)) {
      lines += indent + slice(text, start, end + 1);
      start = end + 1;
    }
    return lines + indent + slice(text, start, text.length);
  }

  // Returns the longest start of `text` that takes at most `maxBytes` in UTF-8 and ends between characters.
  function measure(text: string, maxBytes: number): { readonly units: number; readonly bytes: number } {
    let bytes = 0;
    let units = 0;
    while (units < text.length) {
      const unit = charCodeAt(text, units);
      const pair = unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(charCodeAt(text, units + 1));
      const size = unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
      if (bytes + size > maxBytes) break;
      bytes += size;
      units += pair ? 2 : 1;
    }
    return { units, bytes };
  }

  function isLowSurrogate(unit: number): boolean {
    return unit >= 0xdc00 && unit <= 0xdfff;
  }
}
