import { useEffect, useState } from 'react';
import { api } from '@ravi/api';
import type { ApprovalView } from '@ravi/api';
import { serverUrl } from '../api/client.ts';
import { Button } from '../ui/button.tsx';

type Display = NonNullable<ApprovalView['display']>;
type Segment = Display['rows'][number]['segments'][number];

/** Props of {@link ShownArguments}. */
export interface ShownArgumentsProps {
  readonly approvalId: string;
  readonly display: Display;
  /** Called once every row is on the page. */
  readonly onAllShown: () => void;
}

const firstRows = 200;
// A deep tree must not leave the page; the depth is written in front of its rows.
const maxIndent = 16;

/** The arguments that will run, as JSON in rows, with marks on everything that looks like something else. */
export function ShownArguments({ approvalId, display, onAllShown }: ShownArgumentsProps) {
  const [isWhole, setWhole] = useState(display.rows.length <= firstRows);
  const rows = isWhole ? display.rows : display.rows.slice(0, firstRows);
  useEffect(() => {
    if (isWhole) onAllShown();
  }, [isWhole, onAllShown]);
  return (
    <section aria-label="Arguments">
      <pre className="shown-arguments" role="region" aria-label="Arguments that will run" tabIndex={0}>
        {rows.map(({ depth, segments }, index) => (
          <div key={index} className="shown-row" style={{ paddingInlineStart: `${Math.min(depth, maxIndent)}em` }}>
            {depth > maxIndent && <span className="shown-depth" data-depth={depth} />}
            {segments.map((segment, at) => (
              <SegmentView key={at} approvalId={approvalId} segment={segment} />
            ))}
          </div>
        ))}
      </pre>
      {!isWhole && (
        <p>
          {display.rows.length - firstRows} more rows will run. Approve is available when they are shown.{' '}
          <Button onClick={() => setWhole(true)}>Show all {display.rows.length} rows</Button>
        </p>
      )}
    </section>
  );
}

function SegmentView({ approvalId, segment }: { readonly approvalId: string; readonly segment: Segment }) {
  const { text, mark, note } = segment;
  if (mark === undefined) return text;
  const marked = (
    <mark className="shown-mark" data-mark={mark} title={note}>
      {text}
    </mark>
  );
  if (mark !== 'artifact') return marked;
  const ref = encodeURIComponent(JSON.parse(text) as string);
  const path = api.approvals.artifact.path.replace('{id}', encodeURIComponent(approvalId)).replace('{ref}', ref);
  return (
    <a href={`${serverUrl}${path}`} download title={note}>
      {marked}
    </a>
  );
}
