import { useEffect, useState } from 'react';
import { api } from '@ravi/api';
import type { ApprovalView } from '@ravi/api';
import { serverUrl } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import { Pager } from '../ui/pager.tsx';

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
/** Rows of one part. More would block the page while they are laid out. */
const partRows = 1_000;
// A deep tree must not leave the page; the depth is written in front of its rows.
const maxIndent = 16;

/**
 * The arguments that will run, as JSON in rows, with marks on everything that looks like something else. Long ones are shown in
 * parts, each of which the approver must open.
 */
export function ShownArguments({ approvalId, display, onAllShown }: ShownArgumentsProps) {
  const count = display.rows.length;
  const parts = Math.max(1, Math.ceil(count / partRows));
  const [isOpen, setOpen] = useState(count <= firstRows);
  const [part, setPart] = useState(0);
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set([0]));
  const from = part * partRows;
  const rows = display.rows.slice(from, isOpen ? from + partRows : firstRows);
  const isWhole = isOpen && seen.size === parts;
  useEffect(() => {
    if (isWhole) onAllShown();
  }, [isWhole, onAllShown]);

  function open(wanted: number): void {
    setPart(wanted);
    setSeen(new Set([...seen, wanted]));
  }

  return (
    <div>
      {isOpen && <Pager part={part} parts={parts} onChange={open} />}
      {/* A group, not a region: a page may have several cards, and landmarks of one page need names of their own. */}
      <pre className="shown-arguments" role="group" aria-label="Arguments that will run" tabIndex={0}>
        {rows.map(({ depth, segments }, index) => (
          <div
            key={from + index}
            className="shown-row"
            style={{ paddingInlineStart: `${Math.min(depth, maxIndent)}em` }}
          >
            {depth > maxIndent && <span className="shown-depth" data-depth={depth} />}
            {segments.map((segment, at) => (
              <SegmentView key={at} approvalId={approvalId} segment={segment} />
            ))}
          </div>
        ))}
      </pre>
      {!isOpen && (
        <p>
          {formatCount(count - firstRows)} more rows will run. Approve is available when they are shown.{' '}
          <Button onClick={() => setOpen(true)}>
            {parts === 1 ? `Show all ${count} rows` : `Show all in ${parts} parts`}
          </Button>
        </p>
      )}
      {isOpen && !isWhole && (
        <p>
          {formatCount(parts - seen.size)} of {formatCount(parts)} parts are not opened yet. Approve is available when
          all are.
        </p>
      )}
    </div>
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
