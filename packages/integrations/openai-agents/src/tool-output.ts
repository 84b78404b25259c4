import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from '@openai/agents';
import { modelContent } from '@ravi/gateway-kit';
import type { FrameworkRun, Gateway, ModelMedium } from '@ravi/gateway-kit';
import type { InvocationResult } from '@ravi/kernel';

/** Output of a tool for the SDK. */
export type ToolOutput = string | (ToolOutputText | ToolOutputImage | ToolOutputFileContent)[];

/** Options of {@link toolOutput}. */
export interface ToolOutputOptions {
  readonly gateway: Gateway;
  readonly run: FrameworkRun;
  readonly maxMediaBytes: number;
}

const accepts = (mediaType: string): boolean => mediaType.startsWith('image/') || mediaType === 'application/pdf';

/** Returns what the model reads of a result: its text, and its images and PDF documents as content. */
export async function toolOutput(result: InvocationResult, options: ToolOutputOptions): Promise<ToolOutput> {
  const { text, media } = await modelContent(result, { ...options, accepts });
  return result.files.length === 0 ? text : [{ type: 'text', text }, ...media.map((medium) => contentOf(medium))];
}

function contentOf({ mediaType, bytes, name }: ModelMedium): ToolOutputImage | ToolOutputFileContent {
  const data = Buffer.from(bytes).toString('base64');
  if (mediaType.startsWith('image/')) return { type: 'image', image: { data, mediaType } };
  return { type: 'file', file: { data, mediaType, filename: name === '' ? 'document.pdf' : name } };
}
