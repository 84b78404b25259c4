import type { ContentBlock, ToolExecutionResult } from '@ravi/kernel';

/** What is wrong with the result of a tool, in plain words, or `undefined`. A block of a kind nobody knows is fine. */
export function problemWithResult(result: unknown): string | undefined {
  try {
    return findProblem(result);
  } catch {
    return 'it could not be read';
  }
}

function findProblem(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) {
    return `got ${result === null ? 'null' : typeof result}, not an object`;
  }
  const { content, isError } = result as Partial<ToolExecutionResult>;
  if (!Array.isArray(content)) return 'its content is not a list of blocks';
  if (typeof isError !== 'boolean') return 'its isError is not true or false';
  for (const [index, block] of (content as readonly unknown[]).entries()) {
    const type = (block as ContentBlock | null | undefined)?.type;
    if (typeof type !== 'string') return `its content block ${index} has no type`;
    if (!canBeUsed(block as ContentBlock)) return `its content block ${index} (${type}) is not complete`;
  }
  return undefined;
}

function canBeUsed(block: ContentBlock): boolean {
  try {
    return isComplete(block);
  } catch {
    return false;
  }
}

function isComplete(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string';
    case 'error':
      return typeof block.message === 'string';
    case 'data':
      return JSON.stringify(block.data) !== undefined;
    case 'image':
    case 'audio':
    case 'document':
      return typeof block.mediaType === 'string' && isSource(block.source);
    default:
      return true;
  }
}

function isSource(source: unknown): boolean {
  const { kind, bytes, ref, url } = source as Readonly<Record<string, unknown>>;
  if (kind === 'bytes') return bytes instanceof Uint8Array;
  return kind === 'blob' ? typeof ref === 'string' : kind === 'url' && typeof url === 'string';
}
