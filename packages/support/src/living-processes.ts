import type { Page, PageRequest, ProcessRecord, ProcessStore } from '@ravi/kernel';

/** Lists the processes that live now, the oldest start first. @throws KernelError of the store */
export async function livingProcesses(processes: Pick<ProcessStore, 'list'>): Promise<readonly ProcessRecord[]> {
  const living: ProcessRecord[] = [];
  let request: PageRequest | undefined = {};
  while (request !== undefined) {
    const { items, next }: Page<ProcessRecord> = await processes.list(request);
    living.push(...items.filter(({ isAlive }) => isAlive));
    request = next === undefined ? undefined : { cursor: next };
  }
  return living;
}
