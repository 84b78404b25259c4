import { extensionOf } from '@ravi/invoker/internal';
import { textBlock } from '@ravi/kernel';
import type { ContentBlock, MediaBlock, MediaSource } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { AgentRun } from './agent-run.ts';

/** Whether an answer holds media that the model made. */
export function holdsModelMedia(blocks: readonly ContentBlock[]): boolean {
  return blocks.some(isMade);
}

/**
 * Stores pictures, sound and documents that a model made as artifacts of the session and as files of the run,
 * `/workspace/media/<run>-answer-<step>-<n>.<ext>`. What joins the conversation is a reference; of what cannot be stored,
 * without a store for one, a sentence says so.
 */
export function storeModelMedia(run: AgentRun, blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
  return Promise.all(blocks.map(async (block, index) => (isMade(block) ? stored(run, block, index) : block)));
}

type MadeBlock = MediaBlock & { readonly source: Extract<MediaSource, { readonly kind: 'bytes' }> };

function isMade(block: ContentBlock): block is MadeBlock {
  return 'mediaType' in block && block.source.kind === 'bytes';
}

async function stored(run: AgentRun, block: MadeBlock, index: number): Promise<ContentBlock> {
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
