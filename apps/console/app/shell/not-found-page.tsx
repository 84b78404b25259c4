import { Compass } from 'lucide-react';
import { Link } from 'wouter';
import { EmptyState } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** Page for an unknown address. */
export function NotFoundPage() {
  return (
    <>
      <PageHeader title="No such page" />
      <EmptyState icon={Compass} title="There is nothing at this address">
        <Link href="/runs">Go to the runs</Link>
      </EmptyState>
    </>
  );
}
