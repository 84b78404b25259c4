import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { LucideIcon } from 'lucide-react';
import { ErrorNotice } from './error-notice.tsx';

/** Props of {@link Loaded}. */
export interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** Placeholder while it loads. */
  readonly placeholder?: ReactNode;
  /** True to show a later error in place of the loaded data. */
  readonly needsCurrent?: boolean;
  readonly children: (data: Data) => ReactNode;
}

/** Shows the data of a query, a placeholder while it loads, or its error. Loaded data stays through later errors by default. */
export function Loaded<Data>({ query, placeholder = <Skeleton />, needsCurrent = false, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined && !(needsCurrent && error !== null)) return children(data);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return placeholder;
}

/** Placeholder for rows that are loading. */
export function Skeleton({ rows = 6, height = 44 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} style={{ height }} />
      ))}
    </div>
  );
}

/** Props of an {@link EmptyState}. */
export interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** Next step for the user. */
  readonly children?: ReactNode;
}

/** Notice that a list is empty, and how to fill it. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon aria-hidden size={28} strokeWidth={1.5} />
      <h2>{title}</h2>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  );
}
