import { FileBox } from 'lucide-react';
import type { Artifact } from '@ravi/api';
import { Link } from 'wouter';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatBytes } from '../ui/format.ts';
import { Moment } from '../ui/facts.tsx';
import { artifactsQuery } from '../api/queries.ts';
import { MoreRows } from '../ui/data-table.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** Stored results as rows. */
export function ArtifactList({ artifacts }: { readonly artifacts: readonly Artifact[] }) {
  if (artifacts.length === 0) {
    return (
      <EmptyState icon={FileBox} title="Nothing is stored">
        Results that are too large to read, and files that scripts make, are kept here.
      </EmptyState>
    );
  }
  return (
    <ul className="rows">
      {artifacts.map(({ ref, fileName, tool, mediaType, bytes, scope, createdAt, damagedAt }) => (
        <li key={ref}>
          <Link href={`/artifacts/${encodeURIComponent(ref)}`} className="row">
            <span className="row-main">
              <span className="row-title">{fileName}</span>
              <span className="row-note">
                {mediaType}
                {tool !== undefined && ` · ${tool}`} · <code>{ref}</code> · {scope.principal} ·{' '}
                <Moment at={createdAt} />
                {damagedAt !== undefined && ' · damaged'}
              </span>
            </span>
            <span className="row-side number">{formatBytes(bytes)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Everything that tools and scripts have stored. */
export function ArtifactsPage() {
  const query = useInfiniteQuery(artifactsQuery());
  return (
    <>
      <PageHeader title="Artifacts" lead="Large results that tools and scripts have stored." />
      <Loaded query={query}>
        {({ pages }) => (
          <>
            <ArtifactList artifacts={pages.flatMap(({ items }) => items)} />
            <MoreRows query={query} />
          </>
        )}
      </Loaded>
    </>
  );
}
