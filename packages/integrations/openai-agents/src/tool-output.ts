import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from '@openai/agents';
import { isKernelError } from '@ravi/kernel';
import type { ChainFile, InvocationResult } from '@ravi/kernel';
import type { FrameworkRun, Gateway } from '@ravi/gateway-kit';

/** Output of a tool for the SDK. */
export type ToolOutput = string | (ToolOutputText | ToolOutputImage | ToolOutputFileContent)[];

/** Options of {@link toolOutput}. */
export interface ToolOutputOptions {
  readonly gateway: Gateway;
  readonly run: FrameworkRun;
  readonly maxMediaBytes: number;
}

/** Returns what the model reads of a result: its text, and its images and PDF documents as content. */
export async function toolOutput({ text, files }: InvocationResult, options: ToolOutputOptions): Promise<ToolOutput> {
  if (files.length === 0) return text;
  const refs = files.map(({ artifactRef, mediaType }) => ({ $artifact: artifactRef, mediaType }));
  const media = await Promise.all(files.map((file) => mediaOf(file, options)));
  const said = `${text}\n${JSON.stringify(refs)}`.trim();
  return [{ type: 'text', text: said }, ...media.filter((part) => part !== undefined)];
}

async function mediaOf(
  { artifactRef, mediaType, bytes, path }: ChainFile,
  { gateway, run, maxMediaBytes }: ToolOutputOptions,
): Promise<ToolOutputImage | ToolOutputFileContent | undefined> {
  const isImage = mediaType.startsWith('image/');
  if (bytes > maxMediaBytes || (!isImage && mediaType !== 'application/pdf')) return undefined;
  try {
    const artifact = await gateway.readArtifact(run, artifactRef);
    const data = Buffer.from(artifact.bytes).toString('base64');
    if (isImage) return { type: 'image', image: { data, mediaType } };
    return { type: 'file', file: { data, mediaType, filename: path.split('/').at(-1) ?? 'document.pdf' } };
  } catch (error) {
    // It has expired: the reference stays text.
    if (isKernelError(error)) return undefined;
    throw error;
  }
}
