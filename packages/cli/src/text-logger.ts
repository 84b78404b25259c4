import type { LogFields, Logger } from '@ravi/kernel';
import { visible } from './render/visible.ts';

/** A logger for people: warnings and errors as one line each, nothing else. */
export function createTextLogger(write: (line: string) => void): Logger {
  const line = (level: string, message: string, fields: LogFields = {}): void => {
    const details = Object.entries(fields).map(([name, value]) => `${name}: ${textOf(value)}`);
    write(visible([`${level}: ${message}`, ...details].join(', ')));
  };
  return {
    debug() {},
    info() {},
    warn: (message, fields) => line('warning', message, fields),
    error: (message, fields) => line('error', message, fields),
  };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  return value instanceof Error ? value.message : String(value);
}
