import { isKernelError } from '@ravi/kernel';
import type { BlobReader, ContentBlock, ModelRequest } from '@ravi/kernel';
import { isMedia } from './media.ts';

/** Returns the request with the bytes of media in a blob store. Media that cannot be read stay unchanged. */
export async function loadMedia(request: ModelRequest, blobs: BlobReader | undefined): Promise<ModelRequest> {
  if (blobs === undefined || !request.messages.some((message) => holdsBlobs(message.content))) return request;
  const messages = await Promise.all(
    request.messages.map(async (message) => ({ ...message, content: await loaded(message.content, blobs) })),
  );
  return { ...request, messages };
}

function holdsBlobs(content: readonly ContentBlock[]): boolean {
  return content.some((block) =>
    block.type === 'tool_result' ? holdsBlobs(block.content) : isMedia(block) && block.source.kind === 'blob',
  );
}

async function loaded(content: readonly ContentBlock[], blobs: BlobReader): Promise<ContentBlock[]> {
  return Promise.all(
    content.map(async (block): Promise<ContentBlock> => {
      if (block.type === 'tool_result') return { ...block, content: await loaded(block.content, blobs) };
      if (!isMedia(block) || block.source.kind !== 'blob') return block;
      try {
        const { ref } = block.source;
        // The reference is the name of the artifact in the conversation.
        return { ...block, name: block.name ?? ref, source: { kind: 'bytes', bytes: await blobs.resolve(ref) } };
      } catch (error) {
        if (!isKernelError(error)) throw error;
        return block;
      }
    }),
  );
}
