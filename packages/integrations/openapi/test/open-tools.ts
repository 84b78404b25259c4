import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { JsonObject, OpenToolSource, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { createOpenApiSource } from '@ravi/openapi';
import type { OpenApiSourceOptions } from '@ravi/openapi';
import { createToolContext } from '@ravi/testkit';

/** Tools of a document. */
export interface OpenTools extends AsyncDisposable {
  readonly source: OpenToolSource;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly failures: Readonly<Record<string, string>>;
  tool(name: string): Tool;
  call(name: string, args?: JsonObject, context?: Partial<ToolContext>): Promise<ToolExecutionResult>;
}

/** Returns a document with these paths. */
export function documentOf(paths: unknown, more: object = {}): object {
  return { openapi: '3.1.0', info: { title: 'Pets', version: '1.2.3' }, paths, ...more };
}

/** Opens the source of a document, which is written to a file; a text is written as it is. */
export async function openTools(
  document: object | string,
  given: Omit<Partial<OpenApiSourceOptions>, 'server'> & { readonly server?: string | undefined } = {},
): Promise<OpenTools> {
  const { server, ...options } = { server: 'http://127.0.0.1:9', ...given };
  const folder = await mkdtemp(join(tmpdir(), 'ravi-openapi-'));
  const path = join(folder, 'openapi.json');
  await writeFile(path, typeof document === 'string' ? document : JSON.stringify(document));
  const source = await createOpenApiSource({
    name: 'pets',
    document: path,
    ...(server === undefined ? {} : { server }),
    allowPrivateAddresses: true,
    clock: systemClock,
    ...options,
  }).open({ signal: new AbortController().signal, onChange: () => undefined });
  const { tools: listed, failures } = source.content();
  const tools = new Map(listed.filter(isLocalTool).map((tool) => [tool.name, tool]));
  const tool = (name: string): Tool => {
    const found = tools.get(name);
    assert.ok(found, `no tool ${name} among ${[...tools.keys()].join(', ')}; ${JSON.stringify(failures)}`);
    return found;
  };
  return {
    source,
    tools,
    failures: Object.fromEntries(failures.map(({ from, message }) => [from, message])),
    tool,
    call: (name, args = {}, context = {}) => tool(name).execute(args, createToolContext(context)),
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
