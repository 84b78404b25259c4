import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Artifact } from '@ravi/api';
import { contentOf } from './resources.ts';
import type { DirectOutcome } from './direct-call.ts';
import type { McpGateway } from './gateway.ts';
import { linkTo, metaOf, refsIn, resultLink, shownText } from './result.ts';
import { artifactUri } from './uris.ts';

/** Largest image or sound that is part of a result, in bytes. */
const maxMediaBytes = 1_048_576;
const maxFiles = 20;

/** Returns the result of a direct call: text, structured value, and media that are small enough; links to the others. */
export async function directResult(
  runId: string | undefined,
  { status, text: said, value, error, files }: DirectOutcome,
  gateway: McpGateway,
): Promise<CallToolResult> {
  const inlineBytes = await gateway.inlineBytes();
  // The text of a tool that failed is complete; a refusal also has a code.
  const text = error === undefined || error.code === 'E_TOOL_FAILED' ? said : `${said} [${error.code}]`;
  const links: ContentBlock[] = [];
  const shown = shownText(text, inlineBytes, () => {
    if (runId === undefined) return '';
    const link = resultLink(runId, text);
    links.push(link);
    return ` Read ${link.uri} for the rest.`;
  });
  const refs = files.slice(0, maxFiles).map(({ artifactRef }) => artifactRef);
  const blocks = await Promise.all(refs.map((ref) => blockOf(ref, inlineBytes, gateway)));
  for (const ref of refsIn(value)) if (!refs.includes(ref)) links.push(linkTo(ref, { name: ref }));
  const isStructured = status === 'ok' && typeof value === 'object' && value !== null && !Array.isArray(value);
  const isSmall = isStructured && links.length === 0;
  return {
    content: [
      ...(shown === '' && blocks.length > 0 ? [] : [{ type: 'text' as const, text: shown }]),
      ...blocks,
      ...links,
    ],
    ...(isSmall ? { structuredContent: value } : {}),
    ...(status === 'ok' ? {} : { isError: true }),
    ...metaOf(runId, status),
  };
}

async function blockOf(ref: string, inlineBytes: number, gateway: McpGateway): Promise<ContentBlock> {
  const artifact = await gateway.artifact(ref);
  const { mediaType, bytes } = artifact;
  const kind = /^(image|audio)\//.exec(mediaType)?.[1];
  if (bytes > (kind === undefined ? inlineBytes : maxMediaBytes)) return linkOf(artifact);
  const content = await gateway.read(ref);
  if (kind === undefined) return { type: 'resource', resource: contentOf(artifactUri(ref), mediaType, content, true) };
  return { type: kind as 'image' | 'audio', data: Buffer.from(content).toString('base64'), mimeType: mediaType };
}

function linkOf({ ref, fileName, mediaType, bytes }: Artifact): ContentBlock {
  return linkTo(ref, { name: fileName, mimeType: mediaType, size: bytes });
}
