import type { ChainCallRecord, ChainError, ConsoleLine, WholeResult } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import { callOf } from '../declarations/type-text.ts';

const maxListedCalls = 50;

/** Returns the report of a failed script for the model: the reason, the place, a suggestion, and the calls that were made. */
export function failureReport(error: ChainError, trace: readonly ChainCallRecord[]): string {
  const message = `The script failed: ${error.message} [${error.code}]`;
  return [message, ...placeReport(error), callReport(trace)].join('\n\n');
}

/** Returns the report of the mistakes that the check found: all of them, so that the model can fix them in one step. */
export function mistakeReport(mistakes: readonly ChainError[]): string {
  const head = `The script was not run: it has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}. No tool was called.`;
  return [
    head,
    ...mistakes.flatMap((mistake) => [`${mistake.message} [${mistake.code}]`, ...placeReport(mistake)]),
  ].join('\n\n');
}

/** Returns the warnings of the check as one text, empty when there are none. A script that could not be checked is not mentioned. */
export function warningReport(warnings: readonly ChainError[]): string {
  const doubts = warnings.filter(({ code }) => code !== 'E_SCRIPT_UNCHECKED');
  if (doubts.length === 0) return '';
  const lines = doubts.map(({ message, line, column, suggestion }) => {
    const place = line === undefined ? '' : `line ${line}, column ${column ?? 1}: `;
    return `- ${place}${message}${suggestion === undefined ? '' : `. ${suggestion}`}`;
  });
  return `Warnings from the check before the run:\n${lines.join('\n')}`;
}

function placeReport({ line, column = 1, excerpt = '', suggestion }: ChainError): readonly string[] {
  const place = line === undefined ? [] : [`At line ${line}, column ${column}:\n${excerpt}`];
  return suggestion === undefined ? place : [...place, suggestion];
}

function callReport(trace: readonly ChainCallRecord[]): string {
  if (trace.length === 0) return 'No tool was called.';
  const calls = trace.slice(0, maxListedCalls).map(describeCall);
  if (trace.length > maxListedCalls) calls.push(`… and ${trace.length - maxListedCalls} more`);
  return `Calls made before the failure; do not repeat those that succeeded:\n${calls.join('\n')}`;
}

function describeCall(record: ChainCallRecord, index: number): string {
  const code = record.errorCode === undefined ? '' : ` (${record.errorCode})`;
  const reason = record.approval?.reason === undefined ? '' : `: ${record.approval.reason}`;
  return `${index + 1}. ${record.tool}(${record.argsPreview}) → ${record.status}${code}${reason}`;
}

/** Returns a note about calls that were still running when the script ended; empty when there were none. */
export function unawaitedReport(left: readonly string[]): string {
  if (left.length === 0) return '';
  const names = [...new Set(left)].slice(0, 10).join(', ');
  const calls = left.length === 1 ? '1 call was not awaited and was' : `${left.length} calls were not awaited and were`;
  return `\n\nNote: ${calls} cancelled when the script ended: ${names}. Await every call.`;
}

/** Returns the console output as one text; empty when there is none. */
export function consoleReport(logs: readonly ConsoleLine[]): string {
  if (logs.length === 0) return '';
  return `Console output:\n${logs.map(({ level, text }) => (level === 'log' ? text : `[${level}] ${text}`)).join('\n')}`;
}

/** Returns the note below a value that was cut; empty for a whole value. */
export function cutReport(whole: WholeResult | undefined): string {
  if (whole === undefined) return '';
  return `\n\nNote: the value was cut; it has ${whole.bytes} bytes in all. Pass {"$artifact":"${whole.artifactRef}"} as an argument to hand the whole to a tool.`;
}

const hostGlobals = ['require', 'fetch', 'process', 'Buffer', 'global', 'window', 'document', 'module', 'exports'];

/** Returns a suggestion for a failed script, when there is one. */
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
    return 'The recursion is too deep: use a loop, or split the work into smaller parts';
  const missing = /(?:ReferenceError: |NameError: name ')([\w$]+)'? is not defined/.exec(error.message)?.[1];
  if (missing === undefined) return undefined;
  if (missing === 'tool') return 'Tools are called as tools.name(args)';
  if (toolNames.includes(missing)) return `Call it as ${callOf(missing)}`;
  if (hostGlobals.includes(missing)) return 'A script has no access to files, network or modules; call a tool';
  const [near] = nearNames(missing, toolNames);
  return near === undefined ? undefined : `Did you mean ${callOf(near)}?`;
}
