import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../src/commands.ts';
import { optionsOf } from '../../src/command.ts';
import { exitCodeMeanings } from '../../src/exit-code.ts';

const begin = '<!-- written by test/support/reference.ts -->';
const end = '<!-- end -->';
const file = join(import.meta.dirname, '../../README.md');

/** The README as it is. */
export function readReadme(): string {
  return readFileSync(file, 'utf8');
}

/** The README with its tables as the table of commands wants them. */
export function withReference(readme: string): string {
  const [before = '', rest = ''] = readme.split(begin);
  const after = rest.split(end)[1] ?? '';
  return `${before}${begin}\n\n${reference()}\n\n${end}${after}`;
}

function reference(): string {
  const rows = commands.map(({ path, arguments: taken = [], summary }) => {
    const words = taken.map(({ name, isOptional }) => (isOptional === true ? `[${name}]` : `<${name}>`));
    return [`\`ravi ${[path, ...words].join(' ')}\``, summary];
  });
  return [
    ...table(['command', 'what it does'], rows),
    '',
    ...table(['option', 'commands', 'meaning'], optionRows()),
    '',
    ...table(
      ['exit code', 'meaning'],
      [...exitCodeMeanings].map(([code, meaning]) => [String(code), meaning]),
    ),
  ].join('\n');
}

/** Each option once, with the commands that take it. */
function optionRows(): readonly (readonly string[])[] {
  const users = new Map<string, string[]>();
  for (const spec of commands) {
    for (const { flags, description, choices = [] } of optionsOf(spec)) {
      const meaning =
        description + (choices.length === 0 ? '' : `: ${choices.map((word) => `\`${word}\``).join(', ')}`);
      const key = `\`${flags}\`\n${meaning}`;
      users.set(key, [...(users.get(key) ?? []), spec.path]);
    }
  }
  return [...users].map(([key, paths]) => {
    const [flags = '', meaning = ''] = key.split('\n');
    return [flags, paths.length > 6 ? whereOf(paths) : paths.map((path) => `\`${path}\``).join(', '), meaning];
  });
}

function whereOf(paths: readonly string[]): string {
  if (paths.length === commands.length) return 'all';
  const others = commands.filter(({ path }) => !paths.includes(path)).map(({ path }) => `\`${path}\``);
  return `all but ${others.join(', ')}`;
}

/** As the formatter of the repository lays tables out. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const escaped = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0)));
  const [first = '', ...rest] = escaped.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest];
}

if (import.meta.main) writeFileSync(file, withReference(readReadme()));
