import type { LogFields, Logger } from '@ravi/kernel';

/** One call of a {@link MemoryLogger}. */
export interface LogRecord {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields?: LogFields;
}

/** Logger that keeps its records. */
export interface MemoryLogger extends Logger {
  /** Everything so far, oldest first. */
  readonly records: readonly LogRecord[];
  /** The messages of one level, oldest first. */
  messages(level: keyof Logger): readonly string[];
}

/** A {@link MemoryLogger} with no records yet. */
export function createMemoryLogger(): MemoryLogger {
  const records: LogRecord[] = [];
  const record =
    (level: keyof Logger) =>
    (message: string, fields?: LogFields): void => {
      records.push({ level, message, ...(fields === undefined ? {} : { fields }) });
    };

  return {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    records,
    messages: (level) => records.filter((entry) => entry.level === level).map((entry) => entry.message),
  };
}
