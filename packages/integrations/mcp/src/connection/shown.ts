import { visibleText } from '@ravi/support';

const maxShown = 300;

/** Returns text of a server for a message or a log: visible, and at most 300 characters. */
export function shown(text: unknown): string {
  const visible = visibleText(String(text));
  return visible.length <= maxShown ? visible : `${visible.slice(0, maxShown)}…`;
}
