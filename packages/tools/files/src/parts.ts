import type { ToolContext, JsonObject, ToolExecutionResult } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import { textBlock } from '@ravi/kernel';

/** Resources and limits that the tools of files share. */
export interface FileParts {
  /** Returns the folder of a call. @throws KernelError `E_UNSUPPORTED` for a run without a folder */
  readonly workspaceOf: (context: Pick<ToolContext, 'cwd'>) => Workspace;
  /** Bytes of the largest file that is read into memory or written. */
  readonly maxFileBytes: number;
  /** Bytes of the longest text that `read` returns. */
  readonly maxReadBytes: number;
  /** True if an existing file is changed only after its run has read it. */
  readonly requiresRead: boolean;
}

/** Schema of the path of a file. */
export const pathSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Path in the workspace, with "/" between folders',
} as const;

/** Schema of the result of a tool that changes one file. */
export const changeSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    created: { type: 'boolean' },
    changed: { type: 'boolean' },
    bytes: { type: 'integer' },
    replacements: { type: 'integer' },
    line: { type: 'integer' },
    undo: { type: 'boolean' },
  },
  required: ['path', 'changed'],
} as const;

const noUndo = 'This change cannot be undone: its content could not be kept';

/** Returns the result of a change: a sentence for the model, and facts for a script. `undo` says whether the change can be undone. */
export function changeResult(sentence: string, facts: JsonObject): ToolExecutionResult {
  const text = facts['undo'] === false ? `${sentence}. ${noUndo}` : sentence;
  return { content: [textBlock(text)], isError: false, structuredContent: facts };
}
