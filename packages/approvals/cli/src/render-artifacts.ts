import type { RequestedArtifact } from '@ravi/kernel';
import { printable, wrap } from './terminal-text.ts';

const maxShownBytes = 1_048_576;
const prefix = '  | ';

/**
 * Renders the content of the artifacts that a request names, so that the approver reads what the tool receives. Content that
 * is not UTF-8 text, or larger than 1 MiB, is named with its size and SHA-256 instead.
 */
export async function renderArtifacts(artifacts: readonly RequestedArtifact[], columns: number): Promise<string> {
  const parts: string[] = [];
  for (const artifact of artifacts) {
    const { ref, mediaType, bytes } = artifact;
    parts.push(`  content of ${printable(ref)} (${printable(mediaType)}, ${bytes} bytes)`);
    parts.push(...(await contentRows(artifact, columns)));
  }
  return `${parts.join('\n')}\n`;
}

async function contentRows(artifact: RequestedArtifact, columns: number): Promise<readonly string[]> {
  const { bytes, sha256 } = artifact;
  if (bytes > maxShownBytes) return [`${prefix}larger than ${maxShownBytes} bytes; SHA-256 ${sha256}`];
  const text = decode(await artifact.read());
  if (text === undefined) return [`${prefix}not text; SHA-256 ${sha256}`];
  const width = Math.max(20, columns - prefix.length);
  return text.split('\n').flatMap((line) => wrap(printable(line), width).map((row) => prefix + row));
}

function decode(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
