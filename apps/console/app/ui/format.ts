import type { JsonValue } from '@ravi/kernel';
import { formatWait, printable } from '@ravi/approval-web/text';
import { jsonStart } from './json-start.ts';

const number = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Formats a number in the locale of the reader: `12 345`. */
export function formatCount(value: number): string {
  return number.format(value);
}

/** `12.3K` */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** Formats milliseconds with the precision that matters: `820 µs`, `84 ms`, `1.24 s`, `3 min 20 s`, `2 h 05 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1) return milliseconds === 0 ? '0 ms' : `${Math.round(milliseconds * 1_000)} µs`;
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1_000).toFixed(2)} s`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return formatWait(milliseconds);
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes in decimal units: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** Formats US dollars, with more digits for small amounts. */
export function formatMoney(dollars: number): string {
  const digits = dollars !== 0 && dollars < 0.1 ? 4 : 2;
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: digits }).format(
    dollars,
  );
}

/** Returns a JSON value on one line, truncated if it is long; text without quotes. */
export function jsonLine(value: JsonValue | undefined, maxLength = 120): string {
  if (value === undefined) return '';
  const start = typeof value === 'string' ? value.slice(0, maxLength + 1) : jsonStart(value, maxLength + 1);
  const text = printable(start.slice(0, maxLength + 1));
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
