import { scaleLinear } from 'd3-scale';
import { Bot, ChevronRight, CornerDownRight, ScrollText, Wrench } from 'lucide-react';
import { useState } from 'react';
import type { ProgressUpdate } from '@ravi/kernel';
import { StatusBadge, toneOf } from '../ui/badge.tsx';
import { formatBytes, formatCompact, formatDuration } from '../ui/format.ts';
import { CallDetail } from './call-detail.tsx';
import type { Timeline, TimelineRow } from './timeline.ts';

const icons = { step: Bot, call: Wrench, chain: ScrollText, nested: CornerDownRight };

/** Props of a {@link Waterfall}. */
export interface WaterfallProps {
  readonly timeline: Timeline;
  readonly progress: Readonly<Record<string, ProgressUpdate>>;
}

/** Who did what when: one row for each step and call, its bar on the common axis of time. */
export function Waterfall({ timeline, progress }: WaterfallProps) {
  const { rows, startedAt, endedAt } = timeline;
  const [openId, setOpenId] = useState<string>();
  const scale = scaleLinear([0, endedAt - startedAt], [0, 100]);
  const ticks = scale.ticks(4);

  return (
    <div className="waterfall">
      <div className="waterfall-axis" aria-hidden>
        {ticks.map((tick) => (
          <span key={tick} style={{ left: `${scale(tick)}%` }}>
            {tick === 0 ? '0' : formatDuration(tick)}
          </span>
        ))}
      </div>
      <ol>
        {rows.map((row) => {
          const isOpen = row.id === openId;
          const Icon = icons[row.kind];
          const update = progress[row.id];
          return (
            <li key={row.id} data-kind={row.kind}>
              <button
                type="button"
                className="waterfall-row"
                aria-expanded={row.call === undefined ? undefined : isOpen}
                onClick={() => setOpenId(isOpen ? undefined : row.id)}
              >
                <span className="waterfall-name" style={{ paddingInlineStart: `${row.depth * 1.125}rem` }}>
                  <ChevronRight
                    aria-hidden
                    size={14}
                    className="waterfall-chevron"
                    data-hidden={row.call === undefined}
                  />
                  <Icon aria-hidden size={15} strokeWidth={1.75} />
                  <span className="waterfall-tool">{row.name}</span>
                  {row.status !== 'ok' && <StatusBadge status={row.status} />}
                </span>
                <span className="waterfall-facts">
                  <span>{factOf(row)}</span>
                  <span>
                    {row.isRunning
                      ? `${formatDuration(row.endedAt - row.startedAt)} …`
                      : formatDuration(row.endedAt - row.startedAt)}
                  </span>
                </span>
                <span className="waterfall-track" aria-hidden>
                  {ticks.map((tick) => (
                    <i key={tick} style={{ left: `${scale(tick)}%` }} />
                  ))}
                  <Bar row={row} from={scale(row.startedAt - startedAt)} width={scale(row.endedAt - row.startedAt)} />
                </span>
                {row.isRunning && update?.message !== undefined && (
                  <span className="waterfall-progress">{update.message}</span>
                )}
              </button>
              {isOpen && row.call !== undefined && <CallDetail call={row.call} />}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Bar({ row, from, width }: { readonly row: TimelineRow; readonly from: number; readonly width: number }) {
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
  if (tokens !== undefined) return `${formatCompact(tokens)} tokens`;
  return call?.bytes === undefined ? '' : formatBytes(call.bytes);
}
