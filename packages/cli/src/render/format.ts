import type { Style, Terminal } from '../terminal.ts';

const styles: Readonly<Record<string, Style>> = {
  ok: 'good',
  completed: 'good',
  approved: 'good',
  failed: 'bad',
  error: 'bad',
  denied: 'bad',
  timeout: 'bad',
  cancelled: 'faint',
  expired: 'faint',
  running: 'strong',
  active: 'strong',
  started: 'good',
  paused: 'warning',
  blocked: 'warning',
  pending: 'warning',
  parked: 'warning',
  high: 'warning',
  critical: 'bad',
};

/** Returns a status, padded or not, in the colour of its meaning. */
export function statusText(status: string, { paint }: Pick<Terminal, 'paint'>): string {
  const style = styles[status.trimEnd()];
  return style === undefined ? status : paint(style, status);
}

/** Returns a time as `2026-11-22 17:30:00`, in UTC. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19);
}

/** Returns a size with a binary unit and one decimal. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const exponent = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** exponent).toFixed(1)} ${units[exponent - 1]}`;
}
