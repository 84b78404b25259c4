import { isAbsolute, resolve } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type {
  Clock,
  OpenToolSource,
  Timer,
  Tool,
  ToolRisk,
  ToolSource,
  ToolSourceContent,
  ToolSourceStatus,
} from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { AddressLookup, SafeFetch } from '@ravi/safe-fetch';
import { createRiskRule, createToolFilter, nameTools, unusedPatterns, withOrigin } from '@ravi/source-kit';
import type { UnusedPattern } from '@ravi/source-kit';
import { Unusable } from './document/json-pointer.ts';
import { fetchDocument, readDocumentFile } from './document/read-document.ts';
import type { OpenApiDocument } from './document/read-document.ts';
import { serverAddress } from './document/server-address.ts';
import { createOperationTool } from './operation-tool.ts';
import { readOperations } from './operation/operation.ts';
import type { Credential } from './operation/credentials.ts';
import type { Method } from './operation/operation.ts';

/** Limits of an OpenAPI source. */
export interface OpenApiLimits {
  /** Bytes of the document. Default 16 MiB; YAML has at most 2 MiB. */
  readonly documentBytes?: number;
  /** Operations that become tools. Default 1 000. */
  readonly operations?: number;
  /** Bytes of one response. Default 256 MiB; text and JSON have at most 16 MiB. */
  readonly responseBytes?: number;
  /** Milliseconds that one call may take. Default 60 000. */
  readonly callMs?: number;
}

/** Options of {@link createOpenApiSource}. */
export interface OpenApiSourceOptions {
  /** First part of the names of the tools. */
  readonly name: string;
  /** File or address of the document, in JSON or YAML. */
  readonly document: string;
  /** Address below which every call goes. Default: the first server of the document. */
  readonly server?: string;
  /** Credentials by the name of their security scheme. */
  readonly credentials?: Readonly<Record<string, Credential>>;
  /** True to believe that operations with GET and HEAD only read. Default `false`. */
  readonly trust?: boolean;
  /**
   * True to offer operations that a document at an address adds later without a person. Default `false`: they are held until one
   * accepts them.
   */
  readonly acceptNewTools?: boolean;
  /** Patterns of operations that become tools. Default: all. */
  readonly allow?: readonly string[];
  /** Patterns of operations that do not; they win. */
  readonly deny?: readonly string[];
  /** Risks by pattern of operations. */
  readonly risk?: Readonly<Record<string, ToolRisk>>;
  /** False to accept results that differ from the document. Default `true`. */
  readonly checkResults?: boolean;
  /** True for a document and a server on this machine or in a private network. Default `false`. */
  readonly allowPrivateAddresses?: boolean;
  readonly limits?: OpenApiLimits;
  /** Folder of a relative path of the document. Default: that of the process. */
  readonly baseDir?: string;
  readonly clock: Clock;
  /** Replaces the look-up of the system. */
  readonly lookup?: AddressLookup;
}

const maxDocumentMs = 10_000;
const firstRetryMs = 5_000;
const maxRetryMs = 300_000;
const noContent: ToolSourceContent = { tools: [], failures: [] };

/**
 * Creates a source with one tool for each operation of an OpenAPI document. A document that cannot be fetched is fetched again later.
 * `open` @throws KernelError `E_CONFIG_INVALID` for a file that does not exist
 * @throws KernelError `E_CONFIG_INVALID` for an invalid pattern or address
 */
export function createOpenApiSource(options: OpenApiSourceOptions): ToolSource {
  const { name, document, allow, deny, risk: overrides, trust: isTrusted = false } = options;
  const lists = { allow, deny, risk: Object.keys(overrides ?? {}) };
  const of = { kind: 'openapi', source: name };
  const build: Build = {
    isOffered: createToolFilter({ ...of, allow, deny }),
    riskOf: createRiskRule({ ...of, isTrusted, overrides }),
    unusedPatterns: (operations) => unusedPatterns(lists, of, operations),
    documentUrl: urlOf(name, document),
  };
  return { name, open: ({ signal, onChange }) => openSource(options, build, signal, onChange) };
}

function urlOf(source: string, document: string): URL | undefined {
  if (!/^https?:\/\//i.test(document)) return undefined;
  if (URL.canParse(document)) return new URL(document);
  throw new KernelError(
    'E_CONFIG_INVALID',
    `The "document" of the tool source ${JSON.stringify(source)} is neither a file nor a valid address`,
  );
}

interface Build {
  readonly isOffered: (operation: string) => boolean;
  readonly riskOf: ReturnType<typeof createRiskRule>;
  readonly unusedPatterns: (operations: readonly string[]) => readonly UnusedPattern[];
  readonly documentUrl: URL | undefined;
}

async function openSource(
  options: OpenApiSourceOptions,
  build: Build,
  signal: AbortSignal,
  onChange: () => void,
): Promise<OpenToolSource> {
  const { clock, trust: isTrusted = false, acceptNewTools: acceptsNewTools = false } = options;
  const { documentUrl } = build;
  const ending = new AbortController();
  const fetches = new Map<string, SafeFetch>();
  let content = noContent;
  let retry: Timer | undefined;
  let waitMs = firstRetryMs;
  // A document at an address belongs to others, so a person looks at its changes.
  const fixed = { isTrusted, holdsChanges: documentUrl !== undefined, acceptsNewTools };
  let status: ToolSourceStatus = { ...fixed, state: 'connecting', place: placeOf(documentUrl ?? options.document) };

  async function load(reading: AbortSignal): Promise<void> {
    retry?.cancel();
    try {
      const document = await readDocument(options, documentUrl, reading);
      const server = serverAddress(document.root, { configured: options.server, documentUrl });
      // Calls may be in flight, so connections to a former server end with the source.
      const fetch = fetches.get(server.host) ?? createCallFetch(options, server);
      fetches.set(server.host, fetch);
      content = contentOf(document, { options, build, server, fetch });
      waitMs = firstRetryMs;
      status = {
        ...fixed,
        state: 'ready',
        place: placeOf(server),
        program: { name: document.title, version: document.apiVersion },
        protocol: `OpenAPI ${document.version}`,
      };
    } catch (error) {
      if (reading.aborted || (error instanceof KernelError && error.code === 'E_CONFIG_INVALID')) throw error;
      const message = messageOf(error);
      // Tools of a document that was read before stay: their server is another matter.
      status = { ...status, state: 'failed', message };
      if (documentUrl !== undefined) retryLater();
    }
  }

  function retryLater(): void {
    retry = clock.setTimer(() => void again().catch(() => undefined), waitMs, { isBackground: true });
    waitMs = Math.min(waitMs * 2, maxRetryMs);
  }

  async function again(): Promise<void> {
    await load(ending.signal);
    if (!ending.signal.aborted) onChange();
  }

  try {
    await load(signal);
  } catch (error) {
    if (signal.aborted) throw new KernelError('E_CANCELLED', `Opening ${options.name} was cancelled`, { cause: error });
    throw error;
  }
  return {
    content: () => content,
    remote: { status: () => status, reconnect: again },
    async [Symbol.asyncDispose]() {
      ending.abort();
      retry?.cancel();
      await Promise.all(Array.from(fetches.values(), (fetch) => fetch[Symbol.asyncDispose]()));
    },
  };
}

const defaultDocumentBytes = 16 * 1024 * 1024;
const defaultResponseBytes = 256 * 1024 * 1024;

async function readDocument(
  { document, baseDir = '.', limits, allowPrivateAddresses = false, lookup }: OpenApiSourceOptions,
  documentUrl: URL | undefined,
  signal: AbortSignal,
): Promise<OpenApiDocument> {
  const maxBytes = limits?.documentBytes ?? defaultDocumentBytes;
  if (documentUrl === undefined) {
    return readDocumentFile(isAbsolute(document) ? document : resolve(baseDir, document), maxBytes);
  }
  await using fetch = createSafeFetch({
    allowPrivateAddresses,
    maxBytes,
    timeoutMs: maxDocumentMs,
    ...(lookup === undefined ? {} : { lookup }),
  });
  return await fetchDocument(documentUrl, { fetch, signal, maxBytes });
}

function createCallFetch(
  { allowPrivateAddresses = false, limits, lookup }: OpenApiSourceOptions,
  server: URL,
): SafeFetch {
  return createSafeFetch({
    allowPrivateAddresses,
    pinnedHosts: [server.host],
    maxBytes: limits?.responseBytes ?? defaultResponseBytes,
    ...(limits?.callMs === undefined ? {} : { timeoutMs: limits.callMs }),
    ...(lookup === undefined ? {} : { lookup }),
  });
}

interface ContentOptions {
  readonly options: OpenApiSourceOptions;
  readonly build: Build;
  readonly server: URL;
  readonly fetch: SafeFetch;
}

const defaultOperations = 1_000;

function contentOf({ root }: OpenApiDocument, { options, build, server, fetch }: ContentOptions): ToolSourceContent {
  const { name: source, credentials = {}, limits, checkResults: checksResults = true } = options;
  const maxOperations = limits?.operations ?? defaultOperations;
  const found = readOperations(root, { isOffered: build.isOffered, credentials, maxOperations });
  const { names, failures } = nameTools(
    source,
    found.operations.map(({ name }) => name),
  );
  const tools = found.operations.flatMap((operation): Tool[] => {
    const name = names.get(operation.name);
    if (name === undefined) return [];
    const risk = build.riskOf(operation.name, hintsOf(operation.method));
    const tool = createOperationTool(operation, { name, risk, server, fetch, checksResults });
    return [withOrigin(tool, { kind: 'openapi', source, name: operation.name })];
  });
  return { tools, failures: [...found.failures, ...failures, ...build.unusedPatterns(found.names)] };
}

/** Returns the claims of a method: GET and HEAD change nothing, and what DELETE removes does not come back. */
function hintsOf(method: Method): Parameters<Build['riskOf']>[1] {
  if (method === 'DELETE') return { isDestructive: true, usual: 'critical' };
  return { isReadOnly: method === 'GET' || method === 'HEAD' };
}

function placeOf(place: URL | string): string {
  return typeof place === 'string' ? place : `${place.origin}${place.pathname}`;
}

function messageOf(error: unknown): string {
  if (error instanceof KernelError || error instanceof Unusable) return error.message;
  // Messages of the client can contain an address with its query.
  return error instanceof TypeError ? 'The server of the document could not be reached' : 'The document cannot be used';
}
