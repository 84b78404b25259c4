import { nearNames } from '@ravi/support';
import type { ChainCallRecord, ChainError } from '@ravi/kernel';

const hostGlobals = ['require', 'fetch', 'process', 'Buffer', 'global', 'window', 'document', 'module', 'exports'];

/** What a model could do about a failed script, when that can be told. */
export function suggestionFor(
  error: ChainError,
  trace: readonly ChainCallRecord[],
  toolNames: readonly string[],
): string | undefined {
  if (error.code === 'E_TOOL_UNKNOWN') {
    const called = trace.findLast((record) => record.errorCode === 'E_TOOL_UNKNOWN')?.tool ?? '';
    const near = nearNames(called, toolNames).map(callOf);
    return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
  }
  if (error.code === 'E_LIMIT_STACK')
    return 'A function calls itself too often: use a loop, or go down in smaller steps';
  const missing = /(?:ReferenceError: |NameError: name ')([\w$]+)'? is not defined/.exec(error.message)?.[1];
  if (missing === undefined) return undefined;
  if (missing === 'tool') return 'Tools are in `tools`';
  if (toolNames.includes(missing)) return `Call it as ${callOf(missing)}`;
  if (hostGlobals.includes(missing)) return 'A script reaches the world through `tools` only';
  const [near] = nearNames(missing, toolNames);
  return near === undefined ? undefined : `Did you mean ${callOf(near)}?`;
}

/** The tool as a script names it. */
export function referenceOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`;
}

/** A call of the tool as a script writes it. */
export function callOf(name: string): string {
  return `${referenceOf(name)}(args)`;
}
