import { printable } from '@ravi/approval-web/text';
import type { RunView } from '../api/wire.ts';

const maxLength = 90;

/** What a run is about, in one line: its task, the first comment or line of its script, or its kind. */
export function titleOf({ definition, task }: Pick<RunView, 'definition' | 'task'>): string {
  const { input, details, code, kind } = definition;
  const asked = [task, details?.['title'], input].find((value) => typeof value === 'string');
  const line = asked ?? firstLine(code) ?? `${kind} run`;
  const text = printable(line.trim().split('\n')[0] ?? '');
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function firstLine(code: string | undefined): string | undefined {
  const line = code?.split('\n').find((each) => each.trim() !== '');
  return line?.replace(/^\s*(\/\/|#|\/\*)\s*/, '');
}
