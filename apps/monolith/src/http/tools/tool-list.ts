import { createHash } from 'node:crypto';
import type { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { AnyTool } from '@ravi/kernel';
import { describeTools } from '../../tools/describe-tool.ts';
import { listAnswer } from '../core/operation.ts';

/** Answers with the list of all tools, or says that the client has it already. */
export type ToolListAnswer = (headers: Headers) => Response;

/** The list of all tools as JSON, which is written again only when a tool was added or removed. */
export function createToolList({
  toolbox,
  invoker,
}: {
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
}): ToolListAnswer {
  let written: { readonly of: readonly AnyTool[]; readonly json: string; readonly etag: string } | undefined;

  return (headers) => {
    const of = toolbox.all();
    if (written?.of !== of) {
      const json = JSON.stringify(listAnswer(describeTools(toolbox, invoker.policy)));
      written = { of, json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"` };
    }
    const { json, etag } = written;
    const known = headers.get('if-none-match')?.split(/\s*,\s*/) ?? [];
    const about = { etag, 'cache-control': 'private, no-cache' };
    if (known.includes(etag) || known.includes(`W/${etag}`)) return new Response(null, { status: 304, headers: about });
    return new Response(json, { headers: { ...about, 'content-type': 'application/json' } });
  };
}
