import { FileBox } from 'lucide-react';
import type { BlobStat } from '@ravi/kernel';
import { Link } from 'wouter';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatBytes } from '../ui/format.ts';
import { Moment } from '../ui/moment.tsx';

/** Stored results as rows. */
export function ArtifactList({ artifacts }: { readonly artifacts: readonly BlobStat[] }) {
  if (artifacts.length === 0) {
    return (
      <EmptyState icon={FileBox} title="Nothing is stored">
        Results that are too large to read, and files that scripts make, are kept here.
      </EmptyState>
    );
  }
  return (
    <ul className="rows">
      {artifacts.map(({ ref, mediaType, bytes, scope, createdAt }) => (
        <li key={ref}>
          <Link href={`/artifacts/${encodeURIComponent(ref)}`} className="row">
            <span className="row-main">
              <span className="row-title">{mediaType}</span>
              <span className="row-note">
                <code>{ref}</code> · {scope.principal} · <Moment at={createdAt} />
              </span>
            </span>
            <span className="row-side number">{formatBytes(bytes)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
