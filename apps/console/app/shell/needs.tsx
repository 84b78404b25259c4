import { useQuery } from '@tanstack/react-query';
import { Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MissingPart } from '@ravi/api';
import { settingsQuery } from '../api/queries.ts';
import { EmptyState } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** Shows a page, or which part of the server it needs and how to configure it. */
export function Needs({
  part,
  title,
  children,
}: {
  readonly part: MissingPart['part'];
  /** Title of the page. */
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { data } = useQuery(settingsQuery());
  const missing = data?.missing.find((each) => each.part === part);
  if (missing === undefined) return children;
  return (
    <>
      <PageHeader title={title} />
      <EmptyState icon={Unplug} title="This server has no such page">
        <p>{missing.reason}</p>
        {missing.page !== undefined && (
          <p>
            <a href={missing.page}>Open {missing.page}</a>
          </p>
        )}
        <p>
          Read <code>{missing.guide}</code>.
        </p>
      </EmptyState>
    </>
  );
}
