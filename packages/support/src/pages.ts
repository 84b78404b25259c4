import type { Page, PageRequest, ProcessRecord, ProcessStore } from '@ravi/kernel';

/**
 * Reads a list page by page, each one when the reader is done with the one before it. The first page is read even if the list
 * is empty. `limit` is the maximum number of rows of a page. @throws Error that `read` throws
 */
export async function* readPages<Item>(
  read: (request: PageRequest) => Promise<Page<Item>>,
  limit?: number,
): AsyncGenerator<Page<Item>, void, undefined> {
  const size = limit === undefined ? {} : { limit };
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? size : { ...size, cursor });
    yield page;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Returns the rows of every page of a list; damaged rows are left out. @throws Error that `read` throws */
export async function readAllPages<Item>(
  read: (request: PageRequest) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const rows: Item[] = [];
  for await (const { items } of readPages(read)) rows.push(...items);
  return rows;
}

/** Lists the processes that live now, the oldest start first. @throws KernelError of the store */
export async function livingProcesses(processes: Pick<ProcessStore, 'list'>): Promise<readonly ProcessRecord[]> {
  const all = await readAllPages((page) => processes.list(page));
  return all.filter(({ isAlive }) => isAlive);
}
