import type { DefinitionChange } from '@ravi/api';
import type { JsonValue } from '@ravi/kernel';
import { escapeHidden } from '@ravi/support';
import type { ToolDefinition } from '../../sources/tool-definition.ts';

/** Returns every difference between two definitions, by place; all of the second one if there is no first. */
export function definitionChanges(
  before: ToolDefinition | undefined,
  after: ToolDefinition,
): readonly DefinitionChange[] {
  const [from, to] = [leavesOf(before), leavesOf(after)];
  const paths = [...new Set([...from.keys(), ...to.keys()])].toSorted();
  return paths
    .filter((path) => from.get(path) !== to.get(path))
    .map((path) => ({
      path: escapeHidden(path),
      ...shown('before', from.get(path)),
      ...shown('after', to.get(path)),
    }));
}

function shown<Name extends string>(name: Name, text: string | undefined): { readonly [Key in Name]?: string } {
  return text === undefined ? {} : ({ [name]: escapeHidden(text) } as { readonly [Key in Name]: string });
}

/** Returns the values that have no parts, as text by JSON pointer. Without recursion, because a schema may be deep. */
function leavesOf(definition: ToolDefinition | undefined): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const rest: [string, JsonValue][] = definition === undefined ? [] : [['', definition as unknown as JsonValue]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [path, value] = next;
    const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    for (const [name, part] of parts) {
      rest.push([`${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, part]);
    }
    // A text keeps its line breaks; everything else is JSON, and a text that reads like it differs by its quotes.
    if (parts.length === 0) leaves.set(path, typeof value === 'string' ? textLeaf(value) : JSON.stringify(value));
  }
  return leaves;
}

function textLeaf(text: string): string {
  return /^(?:[-\d"[{]|true$|false$|null$)/.test(text) ? JSON.stringify(text) : text;
}
