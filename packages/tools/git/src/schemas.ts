import type { JsonSchema } from '@ravi/kernel';

/** Argument that names the repository of a call. */
export const repositoryArgument = {
  type: 'string',
  description: 'Folder of the repository in the workspace, or one inside it. Default: the workspace.',
} as const;

/** Argument with paths relative to the top of the repository. */
export const pathsArgument = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  maxItems: 1000,
  description: 'Paths relative to the top of the repository, as they are: without patterns.',
} as const;

/** Argument with a branch, tag or digest. */
export const revisionArgument = {
  type: 'string',
  description: 'Branch, tag or digest, for example "main", "v1.0" or "HEAD~2".',
} as const;

/** Value of a commit. */
export const commitSchema = {
  type: 'object',
  properties: {
    hash: { type: 'string' },
    parents: { type: 'array', items: { type: 'string' } },
    author: { type: 'string' },
    email: { type: 'string' },
    date: { type: 'string', description: 'ISO 8601' },
    subject: { type: 'string' },
    body: { type: 'string' },
  },
  required: ['hash', 'parents', 'author', 'email', 'date', 'subject', 'body'],
} as const;

/** Value of a file with changes. */
const changedFileSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    from: { type: 'string', description: 'Path before a rename.' },
    added: { type: 'integer', description: 'Lines. Absent for a binary file.' },
    removed: { type: 'integer' },
  },
  required: ['path'],
} as const;

/** Value of a patch: inline, or an artifact if it is long. */
export const patchProperties: Readonly<Record<string, JsonSchema>> = {
  files: { type: 'array', items: changedFileSchema },
  patch: { type: 'string', description: 'Whole patch. Absent if it is an artifact.' },
  artifact: { type: 'string', description: 'Artifact with a long patch.' },
  patchBytes: { type: 'integer' },
} as const;
