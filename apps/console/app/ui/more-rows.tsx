import { Button } from './button.tsx';

/** What is needed of a list that goes on page by page. */
export interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** Goes on in a long list; nothing at its end. */
export function MoreRows({ query }: { readonly query: PagedQuery }) {
  if (!query.hasNextPage) return undefined;
  return (
    <div className="more">
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}
