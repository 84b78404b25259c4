import type { ResolvedConfig } from '@ravi/host';
import type { ChainCallRecord, ChainRunResult } from '@ravi/kernel';
import { count, faint, heading, renderTable, size } from './table.ts';
import { vocabulary } from '../conversation/count-tokens.ts';
import type { Comparison } from '../conversation/compare.ts';

/** Describes how risky calls will be approved; `inbox` is the address at which the user may decide too. */
export function showApproval({ plugins }: ResolvedConfig, inbox: string | undefined): string {
  const handler = plugins.approvalHandler;
  if (handler === undefined && inbox !== undefined) {
    return `  You will be asked here before the report is written. You can also decide at ${inbox}`;
  }
  if (handler === undefined) return '  There is no terminal, so the demonstration approves its own report.';
  if (handler.use === '@ravi/approval-cli') return '  You will be asked before the report is written.';
  return `  There is no terminal, so this rule decides: ${JSON.stringify(handler['rules'])}`;
}

/** The lines that show what a script gave, where it failed, and what it wrote to its console. */
export function showResult(run: ChainRunResult): readonly string[] {
  const logs = run.logs.map(({ level, text }) => faint(`  console.${level}: ${text}`));
  const value = run.status === 'ok' ? JSON.stringify(run.value, undefined, 2) : run.outputText;
  return [
    heading(`Result: ${run.status}, ${run.toolCalls} calls in ${run.durationMs.toFixed(0)} ms`),
    ...logs,
    ...value.split('\n').map((line) => `  ${line}`),
  ];
}

/** The trace as a table: every call that the invoker saw, in the order the calls started. */
export function showTrace(trace: readonly ChainCallRecord[]): readonly string[] {
  const columns = [
    { title: 'call' },
    { title: 'tool' },
    { title: 'arguments' },
    { title: 'status' },
    { title: 'ms', align: 'right' as const },
    { title: 'bytes', align: 'right' as const },
    { title: 'approval' },
    { title: 'artifact' },
  ];
  const rows = trace
    .toSorted((left, right) => left.startedAt - right.startedAt || numberOf(left.callId) - numberOf(right.callId))
    .map((record) => [
      record.callId,
      record.tool,
      cut(record.argsPreview, 34),
      record.errorCode ?? record.status,
      record.durationMs.toFixed(1),
      record.bytes === undefined ? '' : count(record.bytes),
      approvalOf(record),
      cut(record.artifactRef ?? '', 14),
    ]);
  return [heading('Trace'), ...renderTable(columns, rows)];
}

/** Describes the data that stayed outside the conversation. */
export function showArtifacts(trace: readonly ChainCallRecord[]): readonly string[] {
  const stored = trace
    .filter(({ artifactRef }) => artifactRef !== undefined)
    .toSorted((left, right) => (right.bytes ?? 0) - (left.bytes ?? 0));
  const total = stored.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  return [
    heading(`Artifacts: ${stored.length}, ${size(total)}`),
    ...stored.map(
      ({ tool, bytes = 0, argsPreview }) => `  ${size(bytes).padStart(8)}  ${tool} ${cut(argsPreview, 60)}`,
    ),
  ];
}

/** Both conversations side by side, and how they were counted. */
export function showComparison(comparison: Comparison): readonly string[] {
  const { plainContext, plainInput, plainTurns, chainContext, chainInput } = comparison;
  const saved = (100 * (1 - chainInput / plainInput)).toFixed(2);
  return [
    heading(`Tokens (${vocabulary}): ${saved} % less input`),
    ...renderTable(
      [
        { title: '' },
        { title: 'turns', align: 'right' },
        { title: 'said once', align: 'right' },
        { title: 'input of all turns', align: 'right' },
      ],
      [
        ['tool by tool', count(plainTurns), count(plainContext), count(plainInput)],
        ['one script', '2', count(chainContext), count(chainInput)],
      ],
    ),
    faint('  Tool by tool: the same calls, one a turn; every turn sends the tools and all that was said before again.'),
    faint('  Results count in full, as this run produced them: more than the window of most models holds.'),
    faint('  One script: the chain tool in both turns, the script, its output. The question itself is in neither.'),
  ];
}

function approvalOf({ approval }: ChainCallRecord): string {
  if (approval === undefined) return '';
  return `${approval.decision}${approval.approver === undefined ? '' : ` by ${approval.approver}`}`;
}

function numberOf(callId: string): number {
  return Number(/\d+$/.exec(callId)?.[0] ?? 0);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
