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
  paused: 'warning',
  pending: 'warning',
  high: 'warning',
  critical: 'bad',
};

/** A word for how something is, padded or not, in the style of what it means. */
export function statusText(status: string, { paint }: Pick<Terminal, 'paint'>): string {
  const style = styles[status.trimEnd()];
  return style === undefined ? status : paint(style, status);
}
