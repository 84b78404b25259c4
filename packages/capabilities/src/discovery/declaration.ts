import type { Tool } from '@ravi/kernel';
import { stubTypes } from '../chain/stubs/stub-types.ts';
import { toolStubs } from '../chain/stubs/tool-stubs.ts';

/** Everything there is to know about a tool: its declaration in TypeScript, then its own documentation. */
export function declarationOf(tool: Tool): string {
  const declaration = toolStubs([tool]).text.slice(stubTypes.length).trim();
  const documentation = documentationOf(tool);
  return documentation === '' ? declaration : `${declaration}\n\n${documentation}`;
}

function documentationOf(tool: Tool): string {
  try {
    return String(tool.documentation?.() ?? '').trim();
  } catch {
    return '(Its documentation cannot be read.)';
  }
}
