import type { ChainFile, ChainPolicy, InvocationResult } from '@ravi/kernel';
import { cutUtf8, errorText, utf8Length } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { decodeStructured } from './encode-structured.ts';
import { storeMedia } from './media-files.ts';
import type { ToolOutput } from './read-tool-result.ts';

/** A shaped result and its size for the trace. */
export interface Shaped {
  readonly result: InvocationResult;
  readonly bytes: number;
}

/**
 * Keeps a small result inline; stores and pins a large one and replaces it by a preview and a ref; turns media into
 * files. Also stored is a value of which the text leaves out a part. Without a store, or when the store fails, the result stays inline.
 */
export function shape(pending: PendingCall, output: ToolOutput): Shaped | Promise<Shaped> {
  const hasMedia = output.content.some((block) => 'mediaType' in block);
  return hasMedia ? shapeWithMedia(pending, output) : shapeText(pending, output, []);
}

async function shapeWithMedia(pending: PendingCall, output: ToolOutput): Promise<Shaped> {
  const { files, notes } = await storeMedia(pending, output.content);
  return shapeText(pending, { ...output, text: joined([output.text, ...notes]) }, files);
}

function shapeText(pending: PendingCall, output: ToolOutput, files: readonly ChainFile[]): Shaped | Promise<Shaped> {
  const { text, structuredJson } = output;
  const { artifactStore } = pending.runtime;
  const bytes = utf8Length(text) + (structuredJson === undefined ? 0 : utf8Length(structuredJson));
  const fits = bytes <= pending.session.policy.maxInlineResultBytes && !output.isTextCut;
  if (fits || artifactStore === undefined) return { result: inline(output, files), bytes };
  return offload(pending, output, files).then(
    (result) => ({ result, bytes }),
    (error: unknown) => {
      const fields = { tool: pending.name, error: errorText(error) };
      pending.runtime.logger.error('artifact store failed: the result stays inline', fields);
      return { result: inline(output, files), bytes };
    },
  );
}

function inline(output: ToolOutput, files: readonly ChainFile[]): InvocationResult {
  const { text, structuredJson, isTextCut } = output;
  if (structuredJson === undefined) return { ...statusOf(output), text, files };
  const structured = decodeStructured(structuredJson);
  const shown = text === '' ? structuredJson : isTextCut ? joined([text, structuredJson]) : text;
  return { ...statusOf(output), text: shown, structured, files };
}

async function offload(
  pending: PendingCall,
  output: ToolOutput,
  files: readonly ChainFile[],
): Promise<InvocationResult> {
  const { text, structuredJson } = output;
  const value = structuredJson ?? text;
  const mediaType = structuredJson === undefined ? 'text/plain' : 'application/json';
  const artifact = await pending.storeArtifact(value, mediaType);
  const preview = cutUtf8(value, pending.session.policy.maxPreviewBytes);
  const prose = structuredJson !== undefined && text !== '' ? await keepProse(pending, text) : '';
  const note = `[${artifact.bytes} bytes of ${mediaType} stored; the first ${utf8Length(preview)} are shown. Pass {"$artifact":"${artifact.ref}"} as an argument to hand it to another tool]`;
  const result: InvocationResult = {
    ...statusOf(output),
    text: joined([prose, preview, note]),
    artifactRef: artifact.ref,
    preview,
    files,
  };
  return rememberText(result, { text: value, mediaType, bytes: artifact.bytes });
}

// Most tools repeat the structured value as text, so only short text stays next to a stored value.
async function keepProse(pending: PendingCall, text: string): Promise<string> {
  if (utf8Length(text) <= proseBytes(pending.session.policy)) return text;
  const { ref, bytes } = await pending.storeArtifact(text, 'text/plain');
  return `[${bytes} bytes of accompanying text are stored as {"$artifact":"${ref}"}]`;
}

/** Bytes of text that stay with a result whose value is stored. */
export function proseBytes({ maxInlineResultBytes, maxPreviewBytes }: ChainPolicy): number {
  return Math.max(0, maxInlineResultBytes - maxPreviewBytes);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function statusOf(output: ToolOutput): Pick<InvocationResult, 'status' | 'error'> {
  return output.error === undefined ? { status: 'ok' } : { status: 'error', error: output.error };
}

/** Whole text of a stored result, kept in memory as long as the result itself. */
export interface StoredText {
  readonly text: string;
  readonly mediaType: string;
  /** In UTF-8. */
  readonly bytes: number;
}

const texts = new WeakMap<InvocationResult, StoredText>();

// Keeps the text for as long as its result is in memory.
function rememberText(result: InvocationResult, stored: StoredText): InvocationResult {
  texts.set(result, stored);
  return result;
}

/**
 * Returns the content of `result.artifactRef` without reading the store, for callers that pass it on at once. `undefined`
 * for other results and for one that an interceptor replaced: read the store instead.
 */
export function storedTextOf(result: InvocationResult): StoredText | undefined {
  return texts.get(result);
}
