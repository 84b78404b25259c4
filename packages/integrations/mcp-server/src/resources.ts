import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ListResourcesResult, ReadResourceResult, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { JsonValue } from '@ravi/kernel';
import { directOutcomeOf } from './direct-call.ts';
import type { McpGateway } from './gateway.ts';
import type { ServerMode } from './offered-tools.ts';
import { artifactTemplate, artifactUri, readUri, resultTemplate } from './uris.ts';

/** Largest part of an artifact that one message carries, in bytes. */
const maxReadBytes = 4_194_304;

/** Templates of the resources that a client can read. */
export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    name: 'artifact',
    title: 'Stored result',
    uriTemplate: artifactTemplate,
    description: `An artifact of a run of the caller. A read gives at most ${maxReadBytes} bytes from offset on.`,
  },
  { name: 'result', title: 'Result of a run', uriTemplate: resultTemplate, mimeType: 'text/plain' },
];

/** Lists the artifacts of the newest runs of the caller. */
export async function listResources(gateway: McpGateway): Promise<ListResourcesResult> {
  const artifacts = await gateway.artifacts();
  const resources = artifacts.map(({ ref, fileName, mediaType, bytes }) => ({
    uri: artifactUri(ref),
    name: fileName,
    mimeType: mediaType,
    size: bytes,
  }));
  return { resources };
}

/**
 * Reads a resource of the caller. @throws ResourceNotFoundError for one that does not exist, or belongs to another caller
 */
export async function readResource(
  uri: string,
  { gateway, mode }: { readonly gateway: McpGateway; readonly mode: ServerMode },
): Promise<ReadResourceResult> {
  const address = readUri(uri);
  if (address === undefined) throw new ResourceNotFoundError(uri);
  try {
    if (address.kind === 'result') {
      const { outcome } = await gateway.run(address.runId);
      const { outputText, value } = (outcome?.result ?? {}) as {
        readonly outputText?: string;
        readonly value?: JsonValue;
      };
      const text = directOutcomeOf(value, mode)?.text ?? outputText;
      if (text === undefined) throw new ResourceNotFoundError(uri);
      return { contents: [{ uri, mimeType: 'text/plain', text }] };
    }
    const { mediaType, bytes } = await gateway.artifact(address.ref);
    const { offset, length = maxReadBytes } = address;
    const wanted = Math.min(length, maxReadBytes, bytes - offset);
    const isWhole = offset === 0 && wanted === bytes;
    const content =
      wanted <= 0
        ? new Uint8Array()
        : await gateway.read(address.ref, isWhole ? undefined : { offset, length: wanted });
    return { contents: [contentOf(uri, mediaType, content, isWhole)] };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const isUnknown = code === 'E_ARTIFACT_UNKNOWN' || code === 'E_RUN_NOT_FOUND';
    throw isUnknown ? new ResourceNotFoundError(uri) : error;
  }
}

const textTypes = /^(?:text\/|application\/(?:json|xml|javascript|yaml|x-ndjson)\b|[\w.+-]+\/[\w.+-]+\+(?:json|xml)\b)/;

/** Returns content as text or bytes. A part may begin inside a character, so only a whole text is sent as text. */
export function contentOf(
  uri: string,
  mimeType: string,
  content: Uint8Array,
  isWhole: boolean,
): ReadResourceResult['contents'][number] {
  if (isWhole && textTypes.test(mimeType)) {
    try {
      return { uri, mimeType, text: new TextDecoder('utf-8', { fatal: true }).decode(content) };
    } catch {
      // As bytes.
    }
  }
  return { uri, mimeType, blob: Buffer.from(content).toString('base64') };
}
