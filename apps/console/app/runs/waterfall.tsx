import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { scaleLinear } from 'd3-scale';
import { useLayoutEffect, useRef, useState } from 'react';
import type { ProgressUpdate } from '@ravi/kernel';
import { formatDuration } from '../ui/format.ts';
import { CallDetail } from './call-detail.tsx';
import type { Timeline } from './timeline.ts';
import { WaterfallRow } from './waterfall-row.tsx';

/** Props of a {@link Waterfall}. */
export interface WaterfallProps {
  readonly timeline: Timeline;
  readonly progress: Readonly<Record<string, ProgressUpdate>>;
}

const rowHeight = 39;
// Place of the last label, in percent. A label after it would leave the axis on a narrow screen.
const lastLabel = 85;

/**
 * Timeline with one row for each step and call, and its bar on a common time axis. Of thousands of rows only the visible
 * ones are in the document.
 */
export function Waterfall({ timeline, progress }: WaterfallProps) {
  const { rows, startedAt, endedAt } = timeline;
  const [openId, setOpenId] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  // The content above changes: an approval, a question or an error appears and goes.
  useLayoutEffect(() => {
    const { top: fromWindow = 0 } = list.current?.getBoundingClientRect() ?? {};
    setTop(Math.round(fromWindow + scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    scrollMargin: top,
  });
  const scale = scaleLinear([startedAt, endedAt], [0, 100]);
  const span = endedAt - startedAt;
  const ticks = scaleLinear([0, span], [0, 100]).ticks(4);
  const lines = ticks.map((tick) => scale(startedAt + tick));

  return (
    <div className="waterfall">
      <div className="waterfall-axis" aria-hidden>
        {ticks
          .filter((tick) => (tick / span) * 100 <= lastLabel)
          .map((tick) => (
            <span key={tick} style={{ left: `${scale(startedAt + tick)}%` }}>
              {tick === 0 ? '0' : formatDuration(tick)}
            </span>
          ))}
      </div>
      <ol ref={list} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return undefined;
          const isOpen = row.id === openId;
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              data-kind={row.kind}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <WaterfallRow
                row={row}
                from={scale(row.startedAt)}
                width={scale(row.endedAt) - scale(row.startedAt)}
                lines={lines}
                isOpen={isOpen}
                message={progress[row.id]?.message}
                onToggle={() => setOpenId(isOpen ? undefined : row.id)}
              />
              {isOpen && row.call !== undefined && <CallDetail call={row.call} status={row.status} />}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
