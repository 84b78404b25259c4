import type { InvokerSession } from '@ravi/invoker';
import { extensionOf } from '@ravi/invoker/internal';
import { textBlock } from '@ravi/kernel';
import type {
  ChainFile,
  ContentBlock,
  InvocationResult,
  MediaBlock,
  ToolResultBlock,
  ToolUseBlock,
  MediaSource,
} from '@ravi/kernel';
import { emptyArray, errorText } from '@ravi/support';
import type { AgentDefinition } from './agent-definition.ts';
import { resultBlock } from './join-messages.ts';
/** The result of a call as the model reads it: text, then the media among its files. */
export function modelResult(call: ToolUseBlock, result: InvocationResult): ToolResultBlock {
  const isError = result.status !== 'ok';
  return resultBlock(call.id, contentOf(call, result, isError), isError);
}

function contentOf(call: ToolUseBlock, result: InvocationResult, isError: boolean): readonly ContentBlock[] {
  // A provider-defined call goes back in the shape that its provider defined.
  if (call.callType !== undefined && !isError && result.structured !== undefined) {
    return [{ type: 'data', data: result.structured }];
  }
  return [textBlock(result.text), ...mediaOf(result)];
}

/** The media among the files of a result, by reference. */
export function mediaOf(result: InvocationResult | undefined): readonly MediaBlock[] {
  return result === undefined || result.files.length === 0 ? emptyArray : result.files.flatMap(mediumOf);
}

function mediumOf({ mediaType, artifactRef, path }: ChainFile): readonly MediaBlock[] {
  const type = mediaKind(mediaType);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return type === undefined ? [] : [{ type, mediaType, name, source: { kind: 'blob', ref: artifactRef } }];
}

function mediaKind(mediaType: string): MediaBlock['type'] | undefined {
  if (mediaType.startsWith('image/')) return 'image';
  if (mediaType.startsWith('audio/')) return 'audio';
  return mediaType === 'application/pdf' ? 'document' : undefined;
}

/** The parts of a run that storing media needs. */
export interface MediaOwner {
  readonly definition: Pick<AgentDefinition, 'invoker' | 'logger'>;
  readonly session: InvokerSession;
  readonly runId: string;
  readonly step: number;
}

/** Whether an answer holds media that the model made. */
export function holdsModelMedia(blocks: readonly ContentBlock[]): boolean {
  return blocks.some(isMade);
}

/**
 * Stores pictures, sound and documents that a model made as artifacts of the session and as files of the run,
 * `/workspace/media/<run>-answer-<step>-<n>.<ext>`. What joins the conversation is a reference; of what cannot be stored,
 * without a store for one, a sentence says so.
 */
export function storeModelMedia(run: MediaOwner, blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
  return Promise.all(blocks.map(async (block, index) => (isMade(block) ? stored(run, block, index) : block)));
}

type MadeBlock = MediaBlock & { readonly source: Extract<MediaSource, { readonly kind: 'bytes' }> };

function isMade(block: ContentBlock): block is MadeBlock {
  return 'mediaType' in block && block.source.kind === 'bytes';
}

async function stored(run: MediaOwner, block: MadeBlock, index: number): Promise<ContentBlock> {
  const { session, definition, runId, step } = run;
  const { type, mediaType, source } = block;
  if (definition.invoker.artifactStore === undefined) return lost(block, 'there is no artifact store');
  try {
    const artifactRef = await session.storeArtifact(source.bytes, mediaType);
    const name = `${runId.replaceAll(/[^\w.-]/g, '_')}-answer-${step}-${index}.${extensionOf(mediaType)}`;
    const bytes = source.bytes.byteLength;
    session.addFile({ path: `/workspace/media/${name}`, mediaType, artifactRef, bytes });
    return { type, mediaType, name, source: { kind: 'blob', ref: artifactRef } };
  } catch (error) {
    definition.logger.error('artifact store failed: what a model made is lost', { error: errorText(error) });
    return lost(block, 'the artifact store failed');
  }
}

function lost({ type, mediaType }: MadeBlock, why: string): ContentBlock {
  return textBlock(`[${type} (${mediaType}) that the model made: not kept, since ${why}]`);
}
