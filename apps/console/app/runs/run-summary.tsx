import { printable } from '@ravi/approval-web/text';
import { Link } from 'wouter';
import type { RunDetails } from '@ravi/api';
import type { RunStory } from '../api/run-story.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { Figures } from '../ui/facts.tsx';
import { formatCompact, formatCount, formatDuration, formatMoney } from '../ui/format.ts';
import { downtimeOf } from './timeline.ts';
import type { Timeline } from './timeline.ts';
import { TokenComparison } from './token-comparison.tsx';

/** Props of a {@link RunSummary}. */
export interface RunSummaryProps {
  readonly run: RunDetails;
  readonly story: RunStory;
  readonly timeline: Timeline;
}

/** The figures of a run. */
export function RunSummary({ run, story, timeline }: RunSummaryProps) {
  const { usage, cost, plainConversationTokens } = run;
  const downtimeMs = downtimeOf(run);
  const calls = timeline.rows.flatMap(({ call }) => call ?? []);
  const inScripts = calls.filter(({ caller }) => caller === 'chain').length;
  const steps = Math.max(run.steps ?? 0, story.steps.length);
  const tokens = usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
  const figures = [
    { name: 'Duration', value: formatDuration(timeline.endedAt - timeline.startedAt), note: 'people included' },
    ...(downtimeMs > 0 ? [{ name: 'Downtime', value: formatDuration(downtimeMs), note: 'no process ran it' }] : []),
    ...(steps > 0 ? [{ name: 'Model steps', value: formatCount(steps), note: 'answers of the model' }] : []),
    { name: 'Calls', value: formatCount(calls.length), note: `${inScripts} inside scripts` },
    ...(usage === undefined || tokens === 0
      ? []
      : [
          {
            name: 'Tokens',
            value: formatCompact(tokens),
            note: `${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`,
          },
        ]),
    ...(cost === undefined ? [] : [{ name: 'Cost', value: formatMoney(cost), note: 'by the price table' }]),
  ];
  return (
    <div className="run-summary">
      <Figures figures={figures} />
      {tokens > 0 && inScripts > 0 && plainConversationTokens !== undefined && (
        <TokenComparison used={tokens} plain={plainConversationTokens} />
      )}
    </div>
  );
}

/** Links to the runs of the scripts and sub-agents of a run. */
export function RunsBelow({ run: { children = [] } }: { readonly run: Pick<RunDetails, 'children'> }) {
  if (children.length === 0) return null;
  return (
    <ul className="stack" aria-label="Scripts and sub-agents">
      {children.map(({ id, kind, agent = 'without a name', status }) => (
        <li key={id}>
          <Link href={`/runs/${encodeURIComponent(id)}`}>
            {kind === 'chain' ? 'Script' : `Sub-agent ${printable(agent)}`}
          </Link>{' '}
          <code className="muted">{id.slice(0, 12)}</code> <StatusBadge status={status} />
        </li>
      ))}
    </ul>
  );
}

/** Returns the name of a run's kind: `agent` or `script`. */
export function kindName({ definition: { kind } }: Pick<RunDetails, 'definition'>): string {
  return kind === 'chain' ? 'script' : kind;
}

const maxLength = 90;

/** Returns the title of a run in one line: its task, the first comment or line of its script, or its kind. */
export function titleOf({ definition, task }: Pick<RunDetails, 'definition' | 'task'>): string {
  const { input, details, code, kind } = definition;
  const asked = [task, details?.['title'], input].find((value) => typeof value === 'string');
  const line = asked ?? firstLine(code) ?? `${kind} run`;
  const text = printable(line.trim().split('\n')[0] ?? '');
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function firstLine(code: string | undefined): string | undefined {
  const line = code?.split('\n').find((each) => each.trim() !== '');
  return line?.replace(/^\s*(\/\/|#|\/\*)\s*/, '');
}
