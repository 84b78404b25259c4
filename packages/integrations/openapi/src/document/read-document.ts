import { readFile, stat } from 'node:fs/promises';
import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { jsonTextExcess, jsonValueExcess } from '@ravi/source-kit';
import type { JsonLimits } from '@ravi/source-kit';
import { parse } from 'yaml';
import { isObject, textMember } from './json-pointer.ts';

/** Longest YAML document: its parser needs a second for each megabyte, and nothing else runs meanwhile. */
const maxYamlBytes = 2 * 1024 * 1024;
const maxDepth = 100;
const maxNodes = 1_000_000;
const versions = /^3\.[01]\.\d+$/;

/** OpenAPI document of version 3.0 or 3.1. */
export interface OpenApiDocument {
  readonly root: JsonObject;
  /** Version that the document states, for example `3.1.0`. */
  readonly version: string;
  readonly title: string;
  /** Version of the API itself. */
  readonly apiVersion: string;
}

/** Reads a document from a file. @throws KernelError `E_CONFIG_INVALID` if there is none, `E_SOURCE_UNAVAILABLE` as {@link parseDocument} */
export async function readDocumentFile(path: string, maxBytes: number): Promise<OpenApiDocument> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw invalid(`is larger than ${maxBytes} bytes (limits.documentBytes)`);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof KernelError) throw cause;
    throw new KernelError('E_CONFIG_INVALID', `The OpenAPI document ${path} cannot be read`, { cause });
  }
  return parseDocument(text, maxBytes);
}

/** Reads a document from an address. @throws KernelError `E_SOURCE_UNAVAILABLE` also if the server does not answer with one */
export async function fetchDocument(
  url: URL,
  {
    fetch,
    signal,
    maxBytes,
  }: { readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<OpenApiDocument> {
  const headers = { accept: 'application/json, application/yaml;q=0.9, */*;q=0.1' };
  const response = await fetch(url, { headers, signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new KernelError('E_SOURCE_UNAVAILABLE', `${url.host} answered ${response.status} instead of the document`, {
      retryable: true,
    });
  }
  return parseDocument(await response.text(), maxBytes);
}

/** Parses JSON or YAML. @throws KernelError `E_SOURCE_UNAVAILABLE` for text that is not an OpenAPI document within the limits */
function parseDocument(text: string, maxBytes: number): OpenApiDocument {
  const limits: JsonLimits = { maxBytes, maxDepth, maxNodes };
  const root = /^\s*\{/.test(text) ? parseJson(text, limits) : parseYaml(text, limits);
  if (!isObject(root)) throw invalid('is not an object');
  const version = textMember(root, 'openapi') ?? '';
  if (!versions.test(version)) throw invalid('is not of version 3.0 or 3.1');
  const info = root['info'];
  return { root, version, title: textMember(info, 'title') ?? '', apiVersion: textMember(info, 'version') ?? '' };
}

function parseJson(text: string, limits: JsonLimits): unknown {
  const excess = jsonTextExcess(text, limits);
  if (excess !== undefined) throw invalid(excess);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid('is not JSON', cause);
  }
}

function parseYaml(text: string, limits: JsonLimits): unknown {
  const maxBytes = Math.min(limits.maxBytes, maxYamlBytes);
  if (Buffer.byteLength(text) > maxBytes) throw invalid(`is YAML and larger than ${maxBytes} bytes; use JSON`);
  let value: unknown;
  try {
    // Unique keys are compared in quadratic time.
    value = parse(text, { uniqueKeys: false, maxAliasCount: 100, logLevel: 'error' });
  } catch (cause) {
    throw invalid('is neither JSON nor YAML', cause);
  }
  const excess = jsonValueExcess(value, limits);
  if (excess !== undefined) throw invalid(excess);
  // Dates and other values of YAML become what JSON has.
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

function invalid(reason: string, cause?: unknown): KernelError {
  return new KernelError('E_SOURCE_UNAVAILABLE', `The OpenAPI document ${reason}`, { cause });
}
