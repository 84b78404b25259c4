import type { ApprovalRequest, JsonObject } from '@ravi/kernel';
import { printable, wrap } from './terminal-text.ts';

const maxFieldCharacters = 600;
const maxArgumentRows = 40;
const maxArgumentCharacters = 100_000;
const labelWidth = 11;

/** Renders a request for the approver. Text of a model or tool cannot leave its column or look like the prompt. */
export function renderRequest(request: ApprovalRequest, columns: number): string {
  const rows = renderRows(request.args, columns);
  const hiddenRows = rows.length - maxArgumentRows;
  return [
    '',
    'A tool call needs your approval',
    ...renderField('tool', request.tool, columns),
    ...renderField('risk', request.risk, columns),
    ...renderField('for', request.principal, columns),
    ...renderField('purpose', request.description, columns),
    ...(request.summary === undefined ? [] : renderField('effect', request.summary, columns)),
    ...renderField('expires', `in ${Math.round((request.expiresAt - request.requestedAt) / 1000)} s`, columns),
    '  arguments',
    ...rows.slice(0, maxArgumentRows),
    ...(hiddenRows > 0 ? [`  ... ${hiddenRows} more rows; answer v to see them all`] : []),
    '',
  ].join('\n');
}

/** All rows of the arguments, up to 100,000 characters. */
export function renderAllArguments(args: JsonObject, columns: number): string {
  return `${renderRows(args, columns).join('\n')}\n`;
}

function renderRows(args: JsonObject, columns: number): readonly string[] {
  const prefix = '  | ';
  const text = JSON.stringify(args, undefined, 2);
  const lines = text.slice(0, maxArgumentCharacters).split('\n');
  const rows = lines.flatMap((line) => wrap(printable(line), room(columns, prefix.length)));
  const hidden = text.length - maxArgumentCharacters;
  return [...rows.map((row) => prefix + row), ...(hidden > 0 ? [`  ... ${hidden} more characters, not shown`] : [])];
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
