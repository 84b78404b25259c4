import { Buffer } from 'node:buffer';
import { textBlock } from '@ravi/kernel';
import type { ContentBlock, JsonObject, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import type { CollectedOutput } from '../process/command-output.ts';
import type { CommandSettings, EndedCommand } from '../commands/run-command.ts';
import type { CommandTime } from '../commands/workspace-turn.ts';

/** Parts that the tools of this package share. */
export interface ShellParts {
  readonly settings: CommandSettings;
  /** Absolute path of the folder in which folders for reports of tests are made. */
  readonly reportParent: string;
  /** Returns the workspace of a call. */
  readonly workspaceOf: (context: Pick<ToolContext, 'cwd'>) => Workspace;
  /** Longest time limit of a call, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** True if commands that only read run without approval. */
  readonly safeCommands: boolean;
  /** Program that runs Python. */
  readonly python: string;
}

/** Time limit of a call that names none, in milliseconds. */
export const defaultTimeoutMs = 120_000;

/** Schemas of {@link sharedArguments}. */
export interface SharedArguments {
  readonly cwd: {
    readonly type: 'string';
    readonly minLength: number;
    readonly maxLength: number;
    readonly description: string;
  };
  readonly timeoutMs: {
    readonly type: 'integer';
    readonly minimum: number;
    readonly maximum: number;
    readonly description: string;
  };
  readonly stdin: { readonly type: 'string'; readonly maxLength: number; readonly description: string };
}

/** Returns the schemas of the arguments that the tools share. `defaultMs` is the time limit of a call that names none. */
export function sharedArguments(maxTimeoutMs: number, defaultMs: number = defaultTimeoutMs): SharedArguments {
  return {
    cwd: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description: 'Folder to start in, relative to the workspace. Default: the workspace.',
    },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      maximum: maxTimeoutMs,
      description: `Milliseconds until the command and everything that it started is ended. Default: ${Math.min(defaultMs, maxTimeoutMs)}.`,
    },
    stdin: { type: 'string', maxLength: 1_048_576, description: 'Text for the standard input. Default: none.' },
  };
}

/** Schema of the value of a command. */
export const commandOutputSchema = {
  type: 'object',
  properties: {
    exitCode: {
      type: ['integer', 'null'],
      description: 'Status: 0 for success, 128 and its number for a signal, null after the time limit.',
    },
    timedOut: { type: 'boolean' },
    output: {
      type: 'string',
      description: 'Standard output and standard error in the order in which they were written.',
    },
    bytes: { type: 'integer', description: 'Bytes of the whole output.' },
    isCut: { type: 'boolean', description: 'True if output has the beginning and the end only.' },
    artifact: { type: 'string', description: 'Artifact with the output, if it is cut or binary.' },
  },
  required: ['exitCode', 'timedOut', 'output', 'bytes', 'isCut'],
} as const;

/** Makes the result of a command that has ended. A status other than 0 is data and not an error of the call. */
export function commandResult(
  { exitCode, timedOut, output }: EndedCommand,
  { limitMs, waited }: CommandTime,
  { maxTextBytes }: Pick<ToolContext, 'maxTextBytes'>,
): ToolExecutionResult {
  const ending = timedOut ? `Ended after ${limitMs} ms${waited}, with all its processes` : `Exit code ${exitCode}`;
  const structuredContent: JsonObject = {
    exitCode,
    timedOut,
    output: output.text,
    bytes: output.bytes,
    isCut: output.isCut,
    ...(output.artifact === undefined ? {} : { artifact: output.artifact.ref }),
  };
  const preview = previewOf(output, maxTextBytes);
  const shown = preview.replace(/\n$/u, '');
  const text = shown === '' ? ending : `${shown}\n${ending}`;
  return {
    content: [textBlock(`${text}${cutNote(output)}`), ...artifactBlocks(output)],
    isError: false,
    structuredContent,
    isTextCut: preview !== output.text,
  };
}

/** Room for the lines around a preview: what is left out, how the command ended, where the rest is. */
export const notesBytes = 500;

/**
 * Returns the output as a model sees it in a text of `maxTextBytes`: all of a short one, otherwise its beginning and its end, which
 * says more often what went wrong. The value has more.
 */
export function previewOf({ text, bytes }: CollectedOutput, maxTextBytes: number): string {
  const all = Buffer.from(text);
  const shown = Math.max(0, maxTextBytes - notesBytes);
  if (all.length <= shown) return text;
  const headBytes = Math.floor(shown / 3);
  const endBytes = shown - headBytes;
  const first = all.toString('utf8', 0, headBytes);
  const last = all.toString('utf8', all.length - endBytes);
  return `${first}\n[… ${bytes - headBytes - endBytes} bytes left out here …]\n${last}`;
}

/** Sentence that says where the rest of an output is, or that it was not kept. */
export function cutNote({ isCut, bytes, artifact }: CollectedOutput): string {
  if (!isCut) return '';
  if (artifact === undefined)
    return `. The output has ${bytes} bytes; the rest was not kept, because there is no room for an artifact`;
  const kept = artifact.bytes < bytes ? `the first ${artifact.bytes} of ${bytes} bytes` : `all ${bytes} bytes`;
  return `. The artifact has ${kept} of the output`;
}

/** Block of the artifact of an output, if it has one. */
export function artifactBlocks({ artifact, isBinary }: CollectedOutput): readonly ContentBlock[] {
  if (artifact === undefined) return [];
  const name = isBinary ? 'output.bin' : 'output.txt';
  return [{ type: 'document', mediaType: artifact.mediaType, name, source: { kind: 'blob', ref: artifact.ref } }];
}
