import type { ChainCallRecord, ChainError, ConsoleLine, WholeResult } from '@ravi/kernel';
import { nearNames } from '@ravi/support';

const maxListedCalls = 50;

/** What the model reads when its script failed: why, where, what to do, and which calls have happened all the same. */
export function failureReport(error: ChainError, trace: readonly ChainCallRecord[]): string {
  const message = `The script failed: ${error.message} [${error.code}]`;
  return [message, ...placeReport(error), callReport(trace)].join('\n\n');
}

/** What the model reads when the check before the run found mistakes: all of them, so that it can mend them at once. */
export function mistakeReport(mistakes: readonly ChainError[]): string {
  const head = `The script was not run: it has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}. No tool was called.`;
  return [
    head,
    ...mistakes.flatMap((mistake) => [`${mistake.message} [${mistake.code}]`, ...placeReport(mistake)]),
  ].join('\n\n');
}

/** What the check before the run doubted, as one text; empty when there is nothing. That there was none helps no model. */
export function warningReport(warnings: readonly ChainError[]): string {
  const doubts = warnings.filter(({ code }) => code !== 'E_SCRIPT_UNCHECKED');
  if (doubts.length === 0) return '';
  const lines = doubts.map(({ message, line, column, suggestion }) => {
    const place = line === undefined ? '' : `line ${line}, column ${column ?? 1}: `;
    return `- ${place}${message}${suggestion === undefined ? '' : `. ${suggestion}`}`;
  });
  return `Noticed before the run:\n${lines.join('\n')}`;
}

function placeReport({ line, column = 1, excerpt = '', suggestion }: ChainError): readonly string[] {
  const place = line === undefined ? [] : [`At line ${line}, column ${column}:\n${excerpt}`];
  return suggestion === undefined ? place : [...place, suggestion];
}

function callReport(trace: readonly ChainCallRecord[]): string {
  if (trace.length === 0) return 'No tool was called.';
  const calls = trace.slice(0, maxListedCalls).map(describeCall);
  if (trace.length > maxListedCalls) calls.push(`… and ${trace.length - maxListedCalls} more`);
  return `Calls that were made before; do not repeat one that had its effect:\n${calls.join('\n')}`;
}

function describeCall(record: ChainCallRecord, index: number): string {
  const code = record.errorCode === undefined ? '' : ` (${record.errorCode})`;
  const reason = record.approval?.reason === undefined ? '' : `: ${record.approval.reason}`;
  return `${index + 1}. ${record.tool}(${record.argsPreview}) → ${record.status}${code}${reason}`;
}

/** What the model reads about calls that still ran when the script had ended, by their tools; empty when there were none. */
export function unawaitedReport(left: readonly string[]): string {
  if (left.length === 0) return '';
  const names = [...new Set(left)].slice(0, 10).join(', ');
  const calls = left.length === 1 ? '1 call was not awaited and was' : `${left.length} calls were not awaited and were`;
  return `\n\nNote: ${calls} cancelled when the script ended: ${names}. Await every call.`;
}

/** The console output as one text; empty when there is none. */
export function consoleReport(logs: readonly ConsoleLine[]): string {
  if (logs.length === 0) return '';
  return `Console output:\n${logs.map(({ level, text }) => (level === 'log' ? text : `[${level}] ${text}`)).join('\n')}`;
}

/** What the model reads below a value that was cut; empty for one that is whole. */
export function cutReport(whole: WholeResult | undefined): string {
  if (whole === undefined) return '';
  return `\n\nNote: the value was cut; it has ${whole.bytes} bytes in all. Pass {"$artifact":"${whole.artifactRef}"} as an argument to hand the whole to a tool.`;
}

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
