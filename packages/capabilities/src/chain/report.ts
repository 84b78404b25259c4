import type { ChainCallRecord, ChainError, ConsoleLine } from '@ravi/kernel';

const maxListedCalls = 50;

/** What the model reads when its script failed: why, where, what to do, and which calls have happened all the same. */
export function failureReport(error: ChainError, trace: readonly ChainCallRecord[]): string {
  const parts = [`The script failed: ${error.message} [${error.code}]`];
  if (error.line !== undefined)
    parts.push(`At line ${error.line}, column ${error.column ?? 1}:\n${error.excerpt ?? ''}`);
  if (error.suggestion !== undefined) parts.push(error.suggestion);
  parts.push(callReport(trace));
  return parts.join('\n\n');
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

/** What the model reads about calls that still ran when the script had ended; empty when there were none. */
export function unawaitedReport(trace: readonly ChainCallRecord[]): string {
  const left = trace.filter((record) => record.status === 'cancelled').map((record) => record.tool);
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
