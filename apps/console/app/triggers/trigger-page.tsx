import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { TriggerFiring } from '@ravi/kernel';
import type { TriggerDetails } from '@ravi/api';
import { Link } from 'wouter';
import { ravi } from '../api/client.ts';
import { triggerQuery } from '../api/queries.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { Facts, Moment } from '../ui/facts.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useTell } from '../ui/toasts.tsx';
import { nextTimeOf, titleOfTrigger, whenText } from './trigger-text.ts';

const columns: readonly Column<TriggerFiring>[] = [
  { name: 'Due', cell: ({ dueAt }) => <Moment at={dueAt} /> },
  { name: 'Start', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Run',
    cell: ({ status, runId, error }) =>
      status === 'started' ? (
        <Link href={`/runs/${encodeURIComponent(runId)}`}>Open</Link>
      ) : (
        error !== undefined && printable(error.message)
      ),
  },
];

/** A trigger with its permissions and its latest runs. */
export function TriggerPage({ id }: { readonly id: string }) {
  const query = useQuery(triggerQuery(id));
  return <Loaded query={query}>{(trigger) => <TriggerView trigger={trigger} />}</Loaded>;
}

function TriggerView({ trigger }: { readonly trigger: TriggerDetails }) {
  const { spec, status, agent, principal, sessionId, misfire, missed, permissions, createdByRun, firings } = trigger;
  const next = nextTimeOf(trigger);
  const { tools, maxRiskUnapproved, toolRole } = permissions;
  return (
    <>
      <PageHeader
        title={printable(titleOfTrigger(trigger))}
        badge={<StatusBadge status={status} />}
        parent={<Link href="/triggers">Triggers</Link>}
      >
        {status === 'active' && <CancelTrigger id={trigger.id} />}
      </PageHeader>
      <Facts
        facts={{
          Fires: printable(whenText(spec)),
          Next: next === undefined ? undefined : <Moment at={next} />,
          Agent: printable(agent),
          Principal: printable(principal),
          Conversation: sessionId === undefined ? 'a new one for each run' : printable(sessionId),
          'Missed times': `${missed}, policy ${misfire}`,
          'Without approval': `up to ${maxRiskUnapproved} risk`,
          'Tool role': toolRole === undefined ? undefined : printable(toolRole),
          'Added by':
            createdByRun === undefined ? undefined : (
              <Link href={`/runs/${encodeURIComponent(createdByRun)}`}>a run</Link>
            ),
        }}
      />
      <h2 className="section-title">Task</h2>
      <pre className="panel">{printable(trigger.input)}</pre>
      <Disclosure summary={`${tools.length} tools that its runs may call at most`}>
        {() => <p>{tools.map(printable).join(', ')}</p>}
      </Disclosure>
      <h2 className="section-title">Latest runs</h2>
      {firings.length === 0 ? (
        <p className="muted">It has not fired yet.</p>
      ) : (
        <DataTable label="Latest runs" columns={columns} rows={firings} keyOf={({ slot }) => String(slot)} />
      )}
    </>
  );
}

function CancelTrigger({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const tell = useTell();
  const cancel = useMutation({
    mutationFn: () => ravi.triggers.cancel(id),
    onError: (error) => tell(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: ['triggers'] }),
  });
  return (
    <Button icon={X} isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel the trigger
    </Button>
  );
}
