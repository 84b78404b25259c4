import { textBlock } from '@ravi/kernel';
import type {
  ChainFile,
  ContentBlock,
  InvocationResult,
  MediaBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import { resultBlock } from './pairing.ts';

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
