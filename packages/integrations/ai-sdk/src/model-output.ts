import { isKernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import type { FrameworkRun, Gateway } from '@ravi/gateway-kit';
import type { Tool } from 'ai';
import { isMediaOutput } from './tool-output.ts';

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;
type ContentPart = Extract<ModelOutput, { type: 'content' }>['value'][number];

/** Options of {@link toModelOutput}. */
export interface ModelOutputOptions {
  readonly gateway: Gateway;
  readonly run: FrameworkRun;
  readonly maxMediaBytes: number;
}

const modelMedia = /^(image\/|audio\/|application\/pdf$)/;

/** Returns what the model reads of an output. Media that the conversation owns and a model understands become content. */
export async function toModelOutput(output: unknown, options: ModelOutputOptions): Promise<ModelOutput> {
  if (typeof output === 'string') return { type: 'text', value: output };
  if (!isMediaOutput(output)) return { type: 'json', value: output as Extract<ModelOutput, { type: 'json' }>['value'] };
  const parts = await Promise.all(output.artifacts.map((artifact) => filePart(artifact.$artifact, options)));
  const refs = output.artifacts.map(({ $artifact, mediaType }): JsonValue => ({
    $artifact,
    mediaType: String(mediaType),
  }));
  const text = `${output.text}\n${JSON.stringify(refs)}`.trim();
  return { type: 'content', value: [{ type: 'text', text }, ...parts.filter((part) => part !== undefined)] };
}

async function filePart(
  ref: string,
  { gateway, run, maxMediaBytes }: ModelOutputOptions,
): Promise<ContentPart | undefined> {
  try {
    const { mediaType, bytes } = await gateway.readArtifact(run, ref);
    if (!modelMedia.test(mediaType) || bytes.byteLength > maxMediaBytes) return undefined;
    return { type: 'file', mediaType, data: { type: 'data', data: bytes } };
  } catch (error) {
    // Expired, or named by a client that does not own it: the reference stays text.
    if (isKernelError(error)) return undefined;
    throw error;
  }
}
