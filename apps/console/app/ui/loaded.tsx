import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { Skeleton } from './skeleton.tsx';

/** Props of {@link Loaded}. */
export interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What holds its place meanwhile. */
  readonly placeholder?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** What a query has found; until then its place, or why there is nothing. What was found once stays through later errors. */
export function Loaded<Data>({ query, placeholder = <Skeleton />, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return placeholder;
}
