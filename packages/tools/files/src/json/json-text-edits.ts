import type { ArrayNode, ElementNode, MemberNode, ObjectNode, Token, ValueNode } from '@humanwhocodes/momoa';
import type { JsonValue } from '@ravi/kernel';

/** List or object. */
export type Container = ArrayNode | ObjectNode;
/** Entry of a list, or member of an object. */
export type Entry = ElementNode | MemberNode;

/** Text with its tokens. */
export interface JsonText {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** Replaces the text of a value. */
export function replaceNode(text: string, { loc }: ValueNode, value: JsonValue): string {
  const next = serialize(value, text, indentAt(text, loc.start.offset));
  return text.slice(0, loc.start.offset) + next + text.slice(loc.end.offset);
}

/** Returns the text of a value; its lines after the first begin with `indent`. It is indented as `text` is. */
export function serialize(value: JsonValue, text: string, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll('\n', eolOf(text) + indent);
}

/** Adds an entry at the end of a list or object: on a line of its own, unless the others share one. */
export function insertLast(json: JsonText, node: Container, entry: (indent: string) => string): string {
  const { text } = json;
  const open = node.loc.start.offset;
  const close = node.loc.end.offset - 1;
  const last = entriesOf(node).at(-1);
  const outer = indentAt(text, open);
  const eol = eolOf(text);
  if (last === undefined) {
    const inner = text.slice(open + 1, close);
    // A document on one line stays on one line.
    if (!text.trim().includes('\n')) return `${text.slice(0, close)}${entry('')}${text.slice(close)}`;
    const indent = outer + unitOf(text);
    return `${text.slice(0, open + 1)}${inner.trimEnd()}${eol}${indent}${entry(indent)}${eol}${outer}${text.slice(close)}`;
  }
  const end = last.loc.end.offset;
  const own = findComma(json, end, close);
  const rest = text.slice(end, close);
  const before = text.slice(0, end) + (own === undefined ? ',' : '') + rest.trimEnd();
  const after = own === undefined ? '' : ',';
  if (!rest.includes('\n'))
    return `${before} ${entry(outer)}${after}${rest.slice(rest.trimEnd().length)}${text.slice(close)}`;
  const indent = indentAt(text, last.loc.start.offset);
  return `${before}${eol}${indent}${entry(indent)}${after}${eol}${outer}${text.slice(close)}`;
}

/** Removes an entry of a list or object with its comma, and its line if it has one of its own. */
export function removeChild(json: JsonText, node: Container, child: Entry): string {
  const { text } = json;
  const children = entriesOf(node);
  const index = children.indexOf(child);
  const previous = children[index - 1];
  const start = child.loc.start.offset;
  const end = child.loc.end.offset;
  const own = findComma(json, end, children[index + 1]?.loc.start.offset ?? node.loc.end.offset - 1);
  const to = own === undefined ? end : own + 1;
  const from = startOfBlank(text, start);
  const rest = text.slice(to);
  // Without the last entry, the one before it needs no comma, unless the last had one as well.
  const before =
    previous === undefined || own !== undefined ? undefined : findComma(json, previous.loc.end.offset, from);
  const head = before === undefined ? text.slice(0, from) : text.slice(0, before) + text.slice(before + 1, from);
  if (text[from - 1] === '\n') return head.slice(0, -1).replace(/\r$/u, '') + rest;
  // The blank before an entry on a shared line stays for the next one, unless there is none.
  const isLast = index === children.length - 1;
  return (isLast && previous !== undefined ? head : text.slice(0, start)) + (isLast ? rest : rest.trimStart());
}

function entriesOf(node: Container): readonly Entry[] {
  return node.type === 'Array' ? node.elements : node.members;
}

// One in a comment is not a token.
function findComma({ tokens }: JsonText, from: number, to: number): number | undefined {
  const isBetween = ({ start }: Token['loc']): boolean => start.offset >= from && start.offset < to;
  return tokens.find(({ type, loc }) => type === 'Comma' && isBetween(loc))?.loc.start.offset;
}

function startOfBlank(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start -= 1;
  return start;
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

function unitOf(text: string): string {
  return /\n(?<indent>[ \t]+)\S/u.exec(text)?.groups?.['indent'] ?? '  ';
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
