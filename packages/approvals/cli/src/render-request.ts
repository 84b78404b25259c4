import { displayArguments } from '@ravi/approval-kit';
import type { ApprovalRequest } from '@ravi/kernel';
import { printable, wrap } from './terminal-text.ts';

const maxFieldCharacters = 600;
const maxArgumentRows = 40;
const maxIndent = 16;
const labelWidth = 11;
// In minutes.
const timeUnits = [
  ['day', 1_440],
  ['hour', 60],
  ['minute', 1],
] as const;

/** A request as the approver sees it. */
export interface RenderedRequest {
  readonly text: string;
  /** Rows of the arguments that do not fit, to print before a yes counts; absent if all fit. */
  readonly rest?: string;
}

/** Renders a request for the approver. Text of a model or tool cannot leave its column or look like the prompt. */
export function renderRequest(request: ApprovalRequest, columns: number): RenderedRequest {
  const rows = renderArguments(request, columns);
  const hiddenRows = rows.length - maxArgumentRows;
  const text = [
    '',
    'A tool call needs your approval',
    ...renderField('tool', request.tool, columns),
    ...renderField('risk', request.risk, columns),
    ...renderField('for', request.principal, columns),
    ...renderField('purpose', request.description, columns),
    ...(request.summary === undefined ? [] : renderField('effect', request.summary, columns)),
    ...renderField('expires', `in ${durationText(request.expiresAt - request.requestedAt)}`, columns),
    '  arguments',
    ...rows.slice(0, maxArgumentRows),
    ...(hiddenRows > 0 ? [`  ... ${hiddenRows} more rows; answer v to see them before a yes counts`] : []),
    '',
  ].join('\n');
  return hiddenRows > 0 ? { text, rest: `${rows.slice(maxArgumentRows).join('\n')}\n` } : { text };
}

/** Returns every row of the arguments: the same rows as on every other surface, each with its marks explained below it. */
function renderArguments(request: ApprovalRequest, columns: number): readonly string[] {
  return displayArguments(request).rows.flatMap(({ depth, segments }) => {
    const deep = depth > maxIndent ? `${depth}> ` : '';
    const prefix = `  | ${'  '.repeat(Math.min(depth, maxIndent))}${deep}`;
    const text = segments.map((segment) => segment.text).join('');
    const notes = segments.flatMap(({ text: marked, mark, note }) =>
      mark === undefined ? [] : [`^ ${shorten(marked)}: ${note ?? mark}`],
    );
    return [
      ...wrap(text, room(columns, prefix.length)).map((row) => prefix + row),
      ...notes.flatMap((note) => wrap(printable(note), room(columns, 6)).map((row) => `  ! ${row}`)),
    ];
  });
}

/** Returns a duration as `55 s`, `30 minutes` or `1 day 12 hours`: seconds below two minutes, else the two largest units. */
function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 120) return `${seconds} s`;
  let minutes = Math.floor(seconds / 60);
  const parts: string[] = [];
  for (const [unit, length] of timeUnits) {
    const count = Math.floor(minutes / length);
    minutes -= count * length;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
  }
  return parts.slice(0, 2).join(' ');
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}

function renderField(label: string, value: string, columns: number): readonly string[] {
  const hidden = value.length - maxFieldCharacters;
  const text = printable(value.slice(0, maxFieldCharacters)) + (hidden > 0 ? ` (and ${hidden} more characters)` : '');
  const width = labelWidth + 2;
  return wrap(text, room(columns, width)).map(
    (row, index) => `  ${(index === 0 ? label : '').padEnd(labelWidth)}${row}`,
  );
}

function room(columns: number, used: number): number {
  return Math.max(20, columns - used);
}
