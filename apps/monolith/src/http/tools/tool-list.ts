import { createHash } from 'node:crypto';
import type { api, JsonOf } from '@ravi/api';
import type { Toolbox, ToolFilter, ToolInvoker } from '@ravi/invoker';
import type { AnyTool } from '@ravi/kernel';
import { describeTools } from '../../tools/describe-tool.ts';
import { listOf, Reply } from '../core/implement.ts';

/** Replies with the list of the tools that a caller may use, or with 304 if the client has it already. */
export type ToolListReply = (
  headers: Headers,
  filter: ToolFilter | undefined,
) => Reply<200, ToolListBody> | Reply<304, undefined>;

type ToolListBody = JsonOf<typeof api.tools.list>;

interface KnownList {
  readonly of: readonly AnyTool[];
  readonly list: Reply<200, ToolListBody>;
  readonly etag: string;
}

/** Creates the list of tools as JSON text, which is serialised again for a filter only after a tool was added or removed. */
export function createToolList({
  toolbox,
  invoker,
}: {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
}): ToolListReply {
  const knownLists = new WeakMap<ToolFilter, KnownList>();
  const unfiltered: ToolFilter = { has: () => true };

  return (headers, filter) => {
    const of = toolbox.all();
    let known = knownLists.get(filter ?? unfiltered);
    if (known?.of !== of) {
      const list = listOf(describeTools(toolbox, invoker.policy, filter));
      const text = JSON.stringify(list);
      const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
      known = { of, etag, list: new Reply(200, list, { etag, 'cache-control': 'private, no-cache' }, text) };
      knownLists.set(filter ?? unfiltered, known);
    }
    const { list, etag } = known;
    const tags = headers.get('if-none-match')?.split(/\s*,\s*/) ?? [];
    return tags.includes(etag) || tags.includes(`W/${etag}`) ? new Reply(304, undefined, list.headers) : list;
  };
}
