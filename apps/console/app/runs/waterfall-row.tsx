import { Bot, ChevronRight, CornerDownRight, RefreshCw, ScrollText, Wrench } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import { StatusBadge, toneOf } from '../ui/badge.tsx';
import { formatBytes, formatCompact, formatDuration } from '../ui/format.ts';
import type { TimelineRow } from './timeline.ts';

const icons = { attempt: RefreshCw, step: Bot, call: Wrench, chain: ScrollText, nested: CornerDownRight };

/** Props of a {@link WaterfallRow}. Positions are percentages of the axis. */
export interface WaterfallRowProps {
  readonly row: TimelineRow;
  readonly from: number;
  readonly width: number;
  /** Positions of the lines of the axis. */
  readonly lines: readonly number[];
  readonly isOpen: boolean;
  /** Latest progress of the call. */
  readonly message: string | undefined;
  readonly onToggle: () => void;
}

/** A step or a call: its name, its figures and its bar. */
export function WaterfallRow({ row, from, width, lines, isOpen, message, onToggle }: WaterfallRowProps) {
  const Icon = icons[row.kind];
  const duration = formatDuration(row.endedAt - row.startedAt);
  return (
    <button
      type="button"
      className="waterfall-row"
      aria-expanded={row.call === undefined ? undefined : isOpen}
      onClick={onToggle}
    >
      <span className="waterfall-name" style={{ paddingInlineStart: `${row.depth * 1.125}rem` }}>
        <ChevronRight aria-hidden size={14} className="waterfall-chevron" data-hidden={row.call === undefined} />
        <Icon aria-hidden size={15} strokeWidth={1.75} />
        <span className="waterfall-tool">{row.name}</span>
        {row.call !== undefined && <span className="waterfall-arguments">{printable(row.call.argsPreview)}</span>}
        {row.status !== 'ok' && <StatusBadge status={row.status} />}
      </span>
      <span className="waterfall-facts">
        <span>{factOf(row)}</span>
        <span>{row.isRunning ? `${duration} …` : duration}</span>
      </span>
      <span className="waterfall-track" aria-hidden>
        {lines.map((line) => (
          <i key={line} style={{ left: `${line}%` }} />
        ))}
        <Bar row={row} from={from} width={width} />
      </span>
      {row.isRunning && message !== undefined && <span className="waterfall-progress">{message}</span>}
    </button>
  );
}

function Bar({ row, from, width }: Pick<WaterfallRowProps, 'row' | 'from' | 'width'>) {
  const durationMs = row.endedAt - row.startedAt;
  const waitedMs = Math.min(row.call?.approval?.waitedMs ?? 0, durationMs);
  return (
    <b
      className="waterfall-bar"
      data-tone={toneOf(row.status)}
      data-running={row.isRunning}
      style={{ left: `${from}%`, width: `max(${width}%, 3px)` }}
    >
      {waitedMs > 0 && <s style={{ width: `${(100 * waitedMs) / durationMs}%` }} />}
    </b>
  );
}

function factOf({ tokens, call }: TimelineRow): string {
  if (tokens !== undefined && tokens > 0) return `${formatCompact(tokens)} tokens`;
  const attempts = call?.attempts === undefined ? [] : [`${call.attempts.length} attempts`];
  return [...attempts, ...(call?.bytes === undefined ? [] : [formatBytes(call.bytes)])].join(', ');
}
