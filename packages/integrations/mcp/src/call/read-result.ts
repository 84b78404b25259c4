import type { CallToolResult, ContentBlock as ServerBlock } from '@modelcontextprotocol/client';
import { KernelError, textBlock } from '@ravi/kernel';
import type { ContentBlock, JsonValue, MediaBlock, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import type { McpLimits } from '../options.ts';
import { shown } from '../connection/describe-failure.ts';

const mediaTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;
const maxBlocks = 1_000;
/** Text up to this length is compared with the structured content that it may repeat. */
const maxComparedCharacters = 262_144;

/**
 * Turns the result of a server into that of a tool. Text stays text, also if it looks like JSON. Media become blocks, large ones artifacts.
 * @throws KernelError `E_LIMIT_CALL_OUTPUT` if it is larger than the limits allow, `E_OUTPUT_INVALID`
 */
export async function readResult(
  result: CallToolResult,
  context: ToolContext,
  limits: McpLimits,
): Promise<ToolExecutionResult> {
  const { content: blocks = [], structuredContent, isError = false } = result;
  checkSize(blocks, structuredContent, limits);
  const [only] = blocks;
  const isRepeated =
    structuredContent !== undefined &&
    blocks.length === 1 &&
    only?.type === 'text' &&
    isSame(only.text, structuredContent);
  const content: ContentBlock[] = [];
  if (!isRepeated)
    for (const block of blocks) content.push(...(await readBlock(block, blocks.length === 1, context, limits)));
  return {
    content,
    isError,
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as JsonValue }),
  };
}

/** Turns blocks of a server, of a prompt or a result, into ours. `isAlone`: text of a resource needs no heading. */
export async function readBlock(
  block: ServerBlock,
  isAlone: boolean,
  context: ToolContext,
  limits: McpLimits,
): Promise<readonly ContentBlock[]> {
  switch (block.type) {
    case 'text':
      return [textBlock(block.text)];
    case 'image':
    case 'audio':
      return [await mediaOf(block.type, block.data, block.mimeType, undefined, context, limits)];
    case 'resource_link': {
      const about = [block.mimeType, block.description].filter((part) => part !== undefined).join(', ');
      return [textBlock(`Resource ${block.name}: ${block.uri}${about === '' ? '' : ` (${about})`}`)];
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) {
        return isAlone
          ? [textBlock(resource.text)]
          : [textBlock(`Resource ${resource.uri}:`), textBlock(resource.text)];
      }
      return [await blobOf(resource, context, limits)];
    }
    default:
      throw invalid(`has a block of the unknown type ${shown(JSON.stringify((block as { type?: unknown }).type))}`);
  }
}

/** Turns the bytes of a resource into a media block. */
export function blobOf(
  resource: { readonly uri: string; readonly mimeType?: string | undefined; readonly blob: string },
  context: ToolContext,
  limits: McpLimits,
): Promise<MediaBlock> {
  const type = resource.mimeType ?? 'application/octet-stream';
  const kind = type.startsWith('image/') ? 'image' : type.startsWith('audio/') ? 'audio' : 'document';
  return mediaOf(kind, resource.blob, type, nameIn(resource.uri), context, limits);
}

async function mediaOf(
  type: MediaBlock['type'],
  data: string,
  mediaType: string,
  name: string | undefined,
  context: ToolContext,
  limits: McpLimits,
): Promise<MediaBlock> {
  if (!base64Pattern.test(data) || data.length % 4 === 1) throw invalid(`has ${type} data that is not Base64`);
  if (!mediaTypePattern.test(mediaType)) throw invalid(`has the media type ${shown(JSON.stringify(mediaType))}`);
  const bytes = Buffer.from(data, 'base64');
  const named = name === undefined ? {} : { name };
  if (bytes.length <= limits.inlineBytes) return { type, mediaType, source: { kind: 'bytes', bytes }, ...named };
  const ref = await context.storeArtifact(bytes, mediaType);
  return { type, mediaType, source: { kind: 'blob', ref }, ...named };
}

/** Checks the size of blocks of a server together. @throws KernelError `E_LIMIT_CALL_OUTPUT` if it is larger than the limits allow */
export function checkSize(blocks: readonly ServerBlock[], structured: unknown, limits: McpLimits): void {
  if (blocks.length > maxBlocks) throw tooLarge(`more than ${maxBlocks} blocks`);
  let bytes = structured === undefined ? 0 : Buffer.byteLength(JSON.stringify(structured));
  for (const block of blocks) {
    if ('text' in block) bytes += Buffer.byteLength(block.text);
    if ('data' in block) bytes += block.data.length * 0.75;
    if (block.type === 'resource') {
      bytes += 'text' in block.resource ? Buffer.byteLength(block.resource.text) : block.resource.blob.length * 0.75;
    }
    if (bytes > limits.resultBytes) throw tooLarge(`more than ${limits.resultBytes} bytes (limits.resultBytes)`);
  }
  if (bytes > limits.resultBytes) throw tooLarge(`more than ${limits.resultBytes} bytes (limits.resultBytes)`);
}

// Servers repeat the structured content as text for older clients.
function isSame(text: string, structured: unknown): boolean {
  if (text.length > maxComparedCharacters) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function nameIn(uri: string): string | undefined {
  const name = uri.split(/[?#]/, 1)[0]?.split('/').at(-1);
  return name === undefined || name === '' ? undefined : shown(name);
}

function invalid(problem: string): KernelError {
  return new KernelError('E_OUTPUT_INVALID', `The result of the MCP server ${problem}`);
}

function tooLarge(what: string): KernelError {
  return new KernelError('E_LIMIT_CALL_OUTPUT', `The result of the MCP server has ${what}`);
}
