import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { entriesMark, isObject } from '../connection/message-kind.ts';
import type { McpLimits } from '../options.ts';
import type { RawPage } from './listed-tool.ts';

/** Complete list of a server, before its entries are checked. */
export interface RawList {
  readonly entries: readonly JsonObject[];
  /** True if the server has more than the limits allow. */
  readonly isCut: boolean;
  readonly ttlMs?: number;
}

/** Lists, by the key of their entries and the method that returns a page. */
const methods = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const;

/**
 * Reads all pages of a list. An entry may have any content, so that one that is wrong does not hide the others.
 * @throws KernelError `E_SOURCE_UNAVAILABLE` if the pages do not end, or the error of the client
 */
export async function listPages(
  client: Client,
  key: keyof typeof methods,
  limits: McpLimits,
  signal: AbortSignal,
): Promise<RawList> {
  const entries: JsonObject[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let ttlMs: number | undefined;
  for (let page = 0; page < limits.pages; page++) {
    const request = { method: methods[key], params: cursor === undefined ? {} : { cursor } };
    const result = await client.request(request, pageSchema(key), { signal, timeout: limits.connectMs });
    ttlMs ??= result.ttlMs;
    entries.push(...result.entries);
    const more = ttlMs === undefined ? {} : { ttlMs };
    if (entries.length > limits.tools) return { entries: entries.slice(0, limits.tools), isCut: true, ...more };
    if (result.nextCursor === undefined) return { entries, isCut: false, ...more };
    if (seen.has(result.nextCursor))
      throw new KernelError('E_SOURCE_UNAVAILABLE', `The server lists the same page of ${key} again`);
    seen.add(result.nextCursor);
    cursor = result.nextCursor;
  }
  throw new KernelError(
    'E_SOURCE_UNAVAILABLE',
    `The server lists more than ${limits.pages} pages of ${key} (limits.pages)`,
  );
}

function pageSchema(key: string): StandardSchemaV1<unknown, RawPage> {
  return {
    '~standard': {
      version: 1,
      vendor: 'ravi',
      validate(value) {
        const { [key]: listed, nextCursor, ttlMs, _meta } = (value ?? {}) as Readonly<Record<string, unknown>>;
        const entries = isObject(_meta) && Object.hasOwn(_meta, entriesMark) ? _meta[entriesMark] : listed;
        if (!Array.isArray(entries)) return { issues: [{ message: `${key} is not a list` }] };
        return {
          value: {
            entries: entries.map((entry: unknown) => (isObject(entry) ? entry : {})),
            ...(typeof nextCursor === 'string' && nextCursor !== '' ? { nextCursor } : {}),
            ...(typeof ttlMs === 'number' && ttlMs > 0 ? { ttlMs } : {}),
          },
        };
      },
    },
  };
}
