import { api } from '@ravi/api';
import type { MemoryStore } from '@ravi/kernel';
import { implement, listOf, pageOf, Reply } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

/** Implements the operations on memories: callers see and delete what agents remember about them, and nothing else. */
export function memoryOperations(memories: MemoryStore): readonly Endpoint[] {
  return [
    implement(api.memories.list, async ({ caller: { principal }, query }) => {
      const { query: words = '', ...wanted } = query;
      const page = pageOf(wanted);
      if (words.trim() !== '') {
        // The best matches are one page.
        const found = await memories.search(principal, words, { limit: page.limit });
        return listOf(found);
      }
      const { items, next } = await memories.list(principal, page);
      return listOf(items, next);
    }),
    implement(api.memories.delete, async ({ params: { id }, caller: { principal } }) => {
      if (await memories.delete(principal, id)) return new Reply(204, undefined);
      throw problem('E_MEMORY_UNKNOWN', `There is no memory "${id}"`);
    }),
    implement(api.memories.clear, async ({ caller: { principal } }) => ({ deleted: await memories.clear(principal) })),
  ];
}
