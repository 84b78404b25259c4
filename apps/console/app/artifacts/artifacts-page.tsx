import { useInfiniteQuery } from '@tanstack/react-query';
import { artifactsQuery } from '../api/queries.ts';
import { Loaded } from '../ui/loaded.tsx';
import { MoreRows } from '../ui/more-rows.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { ArtifactList } from './artifact-list.tsx';

/** Everything that tools and scripts have stored. */
export function ArtifactsPage() {
  const query = useInfiniteQuery(artifactsQuery());
  return (
    <>
      <PageHeader title="Artifacts" lead="Large results travel as references; this is what they refer to." />
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
