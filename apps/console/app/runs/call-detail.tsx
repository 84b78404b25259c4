import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { Call } from '@ravi/api';
import { StatusBadge } from '../ui/badge.tsx';
import { Facts, Moment } from '../ui/facts.tsx';
import { formatBytes, formatDuration } from '../ui/format.ts';

/** Everything on record about one call. */
export function CallDetail({ call, status }: { readonly call: Call; readonly status: string }) {
  const { approval, artifactRef, bytes, childRunId } = call;
  return (
    <div className="call-detail">
      <pre className="arguments-text" role="region" aria-label={`Arguments of ${call.tool}`} tabIndex={0}>
        {printable(call.argsPreview)}
      </pre>
      <Facts
        facts={{
          Tool: <Link href={`/tools/${encodeURIComponent(call.tool)}`}>{call.tool}</Link>,
          Status: <StatusBadge status={status} />,
          // A pause ends the calls in progress; they are repeated when the run resumes.
          Error: status === 'paused' ? undefined : call.errorCode,
          Began: <Moment at={call.startedAt} />,
          Took: formatDuration(call.durationMs),
          Attempts: call.attempts === undefined ? undefined : <Attempts attempts={call.attempts} />,
          'Written by': call.caller === 'chain' ? 'a script' : 'the model',
          'Done by':
            childRunId === undefined ? undefined : (
              <Link href={`/runs/${encodeURIComponent(childRunId)}`}>Open the run</Link>
            ),
          Result: bytes === undefined ? undefined : formatBytes(bytes),
          Artifact:
            artifactRef === undefined ? undefined : (
              <Link href={`/artifacts/${encodeURIComponent(artifactRef)}`}>Open the stored result</Link>
            ),
          Approval: approval === undefined ? undefined : <StatusBadge status={approval.decision} />,
          'Decided by': approval?.approver,
          Reason: approval?.reason === undefined ? undefined : printable(approval.reason),
          'Waited for a person': approval === undefined ? undefined : formatDuration(approval.waitedMs),
          Late: call.late === true ? 'returned after its time-out; result dropped' : undefined,
          'Call id': <code>{call.callId}</code>,
        }}
      />
    </div>
  );
}

function Attempts({ attempts }: { readonly attempts: NonNullable<Call['attempts']> }) {
  return (
    <ol>
      {attempts.map(({ startedAt, durationMs, error }) => (
        <li key={startedAt}>
          {formatDuration(durationMs)}:{' '}
          {error === undefined ? 'no error' : printable(`${error.code}, ${error.message}`)}
        </li>
      ))}
    </ol>
  );
}
