import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { parseJson, parseTree } from './json-document.ts';
import { insertLast, removeChild, replaceNode, serialize } from './json-text-edits.ts';
import type { Container, Entry } from './json-text-edits.ts';
import { readIndex, valueAt } from './json-pointer.ts';

const unchanged = { hadNoEffect: true } as const;

/** Change of one value in a JSON text. */
export interface JsonChange {
  /** Parts of the pointer. */
  readonly parts: readonly string[];
  /** New value; `undefined` to remove it. */
  readonly value: JsonValue | undefined;
  /** Path of the file as the caller wrote it, for messages. */
  readonly path: string;
}

/**
 * Sets or removes the value at a pointer. All other text stays, comments and the form of numbers included; new text is indented like the rest.
 * The value above must exist; in a list, `-` or the index after the last adds an entry.
 * @throws KernelError `E_FILE_JSON`
 */
export function changeJson(text: string, { parts, value, path }: JsonChange): string {
  const root = parseJson(text, path);
  const tree = parseTree(text, path);
  const last = parts.at(-1);
  if (last === undefined) {
    if (value === undefined) throw jsonError('The whole document cannot be removed. Use the tool delete');
    return replaceNode(text, tree.body, value);
  }
  const above = parts.slice(0, -1);
  const parent = valueAt(root, above, path);
  if (typeof parent !== 'object' || parent === null) {
    throw jsonError(`${show(path)} has neither a list nor an object above ${show(last)}`);
  }
  // A name that is there twice means the last one, as for every parser.
  const node = above.reduce(
    (found, part) => (childOf(found as Container, part) as Entry).value,
    tree.body,
  ) as Container;
  const json = { text, tokens: tree.tokens ?? [] };
  if (Array.isArray(parent)) checkIndex(last, parent.length, value, path);
  const child = childOf(node, Array.isArray(parent) && last === '-' ? String(parent.length) : last);
  if (value === undefined) {
    if (child === undefined) valueAt(root, parts, path);
    return removeChild(json, node, child as Entry);
  }
  if (child !== undefined) return replaceNode(text, child.value, value);
  return insertLast(json, node, (indent) => {
    const name = Array.isArray(parent) ? '' : `${JSON.stringify(last)}: `;
    return name + serialize(value, text, indent);
  });
}

function checkIndex(part: string, length: number, value: JsonValue | undefined, path: string): void {
  const index = part === '-' ? length : readIndex(part);
  if (index !== undefined && (index < length || (index === length && value !== undefined))) return;
  throw jsonError(`${show(path)} has a list of ${length} there, so ${show(part)} is not an entry of it`);
}

// Returns the member of an object, or the entry of a list.
function childOf(node: Container, part: string): Entry | undefined {
  if (node.type === 'Array') return node.elements[Number(part)];
  return node.members.findLast(({ name }) => name.type === 'String' && name.value === part);
}

function jsonError(message: string): KernelError {
  return new KernelError('E_FILE_JSON', message, unchanged);
}
