import { isKernelError } from '@ravi/kernel';
import type { ChainFile, InvocationResult } from '@ravi/kernel';
import type { FrameworkRun, Gateway, GatewayArtifact } from './gateway-types.ts';

/** Medium of a result, with its content. */
export interface ModelMedium extends GatewayArtifact {
  /** File name for display. */
  readonly name: string;
}

/** Part of a result that a model reads. */
export interface ModelContent {
  /** Its text, and the references of its media, which the model can pass to other tools. */
  readonly text: string;
  readonly media: readonly ModelMedium[];
}

/** Options of {@link modelContent}. */
export interface ModelContentOptions {
  readonly gateway: Pick<Gateway, 'readArtifact'>;
  readonly run: FrameworkRun;
  /** True for a media type that the model understands. */
  accepts(mediaType: string): boolean;
  /** Maximum size of a medium that is read; a larger one stays a reference. */
  readonly maxMediaBytes: number;
}

/**
 * Reads the text and the media of a result for a model. A medium that is not accepted, is too large or cannot be read stays a
 * reference, because the call has had its effect.
 */
export async function modelContent(
  { text, files }: InvocationResult,
  options: ModelContentOptions,
): Promise<ModelContent> {
  if (files.length === 0) return { text, media: [] };
  const refs = files.map(({ artifactRef, mediaType }) => ({ $artifact: artifactRef, mediaType }));
  const media = await Promise.all(files.map((file) => readMedium(file, options)));
  return {
    text: `${text}\n${JSON.stringify(refs)}`.trim(),
    media: media.filter((medium) => medium !== undefined),
  };
}

async function readMedium(
  { artifactRef, mediaType, bytes, path }: ChainFile,
  { gateway, run, accepts, maxMediaBytes }: ModelContentOptions,
): Promise<ModelMedium | undefined> {
  if (bytes > maxMediaBytes || !accepts(mediaType)) return undefined;
  try {
    return { ...(await gateway.readArtifact(run, artifactRef)), name: path.split('/').at(-1) ?? '' };
  } catch (error) {
    if (isKernelError(error)) return undefined;
    throw error;
  }
}
