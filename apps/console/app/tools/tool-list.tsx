import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { ToolSummary } from '@ravi/api';
import { RiskBadge } from '../ui/badge.tsx';

const rowHeight = 76;

/** Tools as rows; of thousands only the visible ones are in the document. */
export function ToolList({ tools }: { readonly tools: readonly ToolSummary[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: tools.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });

  return (
    <ul ref={list} className="rows virtual" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const tool = tools[index];
        if (tool === undefined) return undefined;
        return (
          <li
            key={tool.name}
            aria-setsize={tools.length}
            aria-posinset={index + 1}
            style={{ height: rowHeight, transform: `translateY(${start - top}px)` }}
          >
            <ToolRow tool={tool} />
          </li>
        );
      })}
    </ul>
  );
}

function ToolRow({ tool }: { readonly tool: ToolSummary }) {
  const { name, description, risk, source } = tool;
  return (
    <Link href={`/tools/${encodeURIComponent(name)}`} className="row">
      <span className="row-main">
        <span className="row-title">
          <code>{printable(name)}</code>
        </span>
        <span className="row-note">{printable(description)}</span>
      </span>
      <span className="row-side">
        {source !== undefined && source !== '' && (
          <span className="badge outlined row-metric">{source.split('/').at(-1)}</span>
        )}
        {risk !== undefined && <RiskBadge risk={risk} />}
      </span>
    </Link>
  );
}
