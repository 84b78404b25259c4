import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin, workspaceOfCall } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import type { FileParts } from './parts.ts';
import { createAppendTool } from './tools/append.ts';
import { createDeleteTool } from './tools/delete.ts';
import { createDiffApplyTool } from './tools/diff-apply.ts';
import { createDiffCreateTool } from './tools/diff-create.ts';
import { createEditTool } from './tools/edit.ts';
import { createJsonReadTool } from './tools/json-read.ts';
import { createJsonWriteTool } from './tools/json-write.ts';
import { createMultiEditTool } from './tools/multi-edit.ts';
import { createReadTool } from './tools/read.ts';
import { createUndoTool } from './tools/undo.ts';
import { createWriteTool } from './tools/write.ts';

/** Options of the tools for files. */
export interface FilesOptions extends ToolSelection {
  /** Folder of all calls, relative to the configuration. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string;
  /** Bytes of the largest file that is read or written. Default 64 MiB. */
  readonly maxFileBytes?: number;
  /** Bytes of the longest text that one `read` returns. Default 8 MiB. */
  readonly maxReadBytes?: number;
  /** False to let a run change a file that it has not read. Default `true`. */
  readonly requireRead?: boolean;
}

/** Plugin of the tools for files. */
const filesPlugin: Plugin<'toolSource', FilesOptions> = defineToolsPlugin<FilesOptions, FileParts>({
  name: 'tools-files',
  options: {
    root: {
      type: 'string',
      minLength: 1,
      description: 'Folder of all calls. Default: the workspace of the agent; without one a call fails.',
    },
    maxFileBytes: {
      type: 'integer',
      minimum: 1,
      maximum: 1_073_741_824,
      default: 67_108_864,
      description: 'Bytes of the largest file that is read or written.',
    },
    maxReadBytes: {
      type: 'integer',
      minimum: 1,
      maximum: 268_435_456,
      default: 8_388_608,
      description: 'Bytes of the longest text that one `read` returns.',
    },
    requireRead: {
      type: 'boolean',
      default: true,
      description: 'Lets a run change an existing file only after it has read it.',
    },
  },
  open: ({ root, maxFileBytes, maxReadBytes, requireRead }, { baseDir }) => ({
    workspaceOf: workspaceOfCall({ root, baseDir }),
    maxFileBytes: maxFileBytes as number,
    maxReadBytes: maxReadBytes as number,
    requiresRead: requireRead as boolean,
  }),
  tools: {
    read: createReadTool,
    write: createWriteTool,
    append: createAppendTool,
    edit: createEditTool,
    multi_edit: createMultiEditTool,
    delete: createDeleteTool,
    json_read: createJsonReadTool,
    json_write: createJsonWriteTool,
    diff_create: createDiffCreateTool,
    diff_apply: createDiffApplyTool,
    undo: createUndoTool,
  },
});

export default filesPlugin;
