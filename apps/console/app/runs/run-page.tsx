import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { RunDetails } from '@ravi/api';
import { shownStatusOf } from '@ravi/kernel';
import { runQuery, isLive } from '../api/queries.ts';
import { useServerTime } from '../api/server-clock.ts';
import { useRunStory } from '../api/use-run-story.ts';
import { ArtifactList } from '../artifacts/artifact-list.tsx';
import { ApprovalCards } from '../inbox/approval-card.tsx';
import { StatusBadge } from '../ui/badge.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Moment } from '../ui/facts.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { TabView } from '../ui/tabs.tsx';
import { AwaitedResults } from './awaited-results.tsx';
import { ConsoleOutput, ScriptView } from './script-view.tsx';
import { ExchangesView } from './exchanges-view.tsx';
import { Questions } from './questions.tsx';
import { RunInputs } from './run-inputs.tsx';
import { RunActions } from './run-actions.tsx';
import { RunOutcomeView } from './run-outcome.tsx';
import { RunsBelow, RunSummary, kindName, titleOf } from './run-summary.tsx';
import { timelineOf } from './timeline.ts';
import { Waterfall } from './waterfall.tsx';
import { WrittenScripts } from './written-scripts.tsx';

/** Page of one run, live while it continues. */
export function RunPage({ id }: { readonly id: string }) {
  const query = useQuery(runQuery(id));
  if (query.data === undefined) {
    return (
      <>
        <PageHeader title="Run" parent={<Link href="/runs">Runs</Link>} />
        <Loaded query={query}>{() => undefined}</Loaded>
      </>
    );
  }
  return <RunContent run={query.data} />;
}

function RunContent({ run }: { readonly run: RunDetails }) {
  const story = useRunStory(run.id, run.status);
  const serverTime = useServerTime();
  const now = isLive(run) ? serverTime : run.updatedAt;
  const timeline = useMemo(() => timelineOf(run, story, now), [run, story, now]);
  const logs = isLive(run) && story.console.length > 0 ? story.console : (run.logs ?? []);
  const script = run.script ?? run.definition.code;
  const { artifacts = [] } = run;
  // Also those of its scripts and sub-agents.
  const asked = new Set((run.pendingApprovals ?? []).map(({ id }) => id));
  return (
    <>
      <PageHeader
        title={titleOf(run)}
        parent={<Link href="/runs">Runs</Link>}
        badge={<StatusBadge status={shownStatusOf(run)} />}
        lead={
          <>
            {kindName(run)} run of {run.principal}, started <Moment at={run.createdAt} /> · <code>{run.id}</code>
            {run.parentRunId !== undefined && (
              <>
                {' '}
                · below{' '}
                <Link href={`/runs/${encodeURIComponent(run.parentRunId)}`}>{run.parentRunId.slice(0, 12)}</Link>
              </>
            )}
          </>
        }
      >
        <RunActions run={run} />
      </PageHeader>
      <ApprovalCards isWanted={({ id, runId }) => runId === run.id || asked.has(id)} />
      <Questions key={run.questions?.[0]?.callId} run={run} />
      <AwaitedResults run={run} />
      <RunInputs run={run} />
      <RunSummary run={run} story={story} timeline={timeline} />
      <RunsBelow run={run} />
      <RunOutcomeView run={run} liveText={story.text} />
      <TabView
        label="About this run"
        panels={[
          {
            id: 'timeline',
            name: 'Timeline',
            content: <Waterfall timeline={timeline} progress={story.progress} />,
          },
          script === undefined
            ? { id: 'script', name: 'Scripts', content: <WrittenScripts runId={run.id} /> }
            : { id: 'script', name: 'Script', content: <ScriptView run={run} script={script} /> },
          { id: 'console', name: 'Console', count: logs.length, content: <ConsoleOutput lines={logs} /> },
          {
            id: 'artifacts',
            name: 'Artifacts',
            count: artifacts.length,
            content: <ArtifactList artifacts={artifacts} />,
          },
          ...(run.definition.kind === 'agent'
            ? [{ id: 'prompts', name: 'Prompts', content: <ExchangesView runId={run.id} /> }]
            : []),
        ]}
      />
    </>
  );
}
