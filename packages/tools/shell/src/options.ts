import type { JsonSchema } from '@ravi/kernel';
import { containerSchema } from './container/container-options.ts';
import type { ContainerOptions } from './container/container-options.ts';

/** Options of the shell tools in the configuration. */
export interface ShellToolsOptions {
  /** Folder in which commands start, relative to the configuration. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string;
  /** Names of variables of the server that commands see, in addition to `PATH`, `HOME`, `LANG` and the like. */
  readonly passEnv?: readonly string[];
  /** Variables for commands, with their values. */
  readonly env?: Readonly<Record<string, string>>;
  /** Program and arguments before each command, for example `["bwrap", "--ro-bind", "/", "/"]`. */
  readonly wrapper?: readonly string[];
  /** Container in which each command runs. Default: none; commands run on the machine of the server. Excludes `wrapper`. */
  readonly container?: ContainerOptions;
  /**
   * Folder, relative to the configuration, in which `test_runner` makes a folder for each report. Commands have to see it under the same path.
   * Default: that for temporary files.
   */
  readonly reportFolder?: string;
  /** Longest time limit of a direct call, in milliseconds. Default: 600 000. */
  readonly maxTimeoutMs?: number;
  /** True to run commands that only read without approval. Default: false. */
  readonly safeCommands?: boolean;
  /** Bytes of output above which it becomes an artifact. Default: 65 536. */
  readonly outputBytes?: number;
  /** Bytes of such an artifact. Default: 64 MiB. */
  readonly artifactBytes?: number;
  /** Program that runs Python. Default: `python3`. */
  readonly python?: string;
}

const texts = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  description,
});

/** Schemas of {@link ShellToolsOptions}. */
export const shellOptionSchemas: Readonly<Record<string, JsonSchema>> = {
  root: {
    type: 'string',
    minLength: 1,
    description:
      'Folder in which commands start, relative to the configuration. Default: the workspace of the agent; without one a call fails.',
  },
  passEnv: texts('Names of variables of the server that commands see, in addition to PATH, HOME, LANG and the like.'),
  env: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Variables for commands, with their values.',
  },
  wrapper: texts('Program and arguments before each command, for example of a sandbox. Default: none.'),
  container: containerSchema,
  reportFolder: {
    type: 'string',
    minLength: 1,
    description:
      'Folder for the reports of test_runner, which commands have to see under the same path. Default: that for temporary files.',
  },
  maxTimeoutMs: {
    type: 'integer',
    minimum: 1000,
    maximum: 86_400_000,
    default: 600_000,
    description: 'Longest time limit of a call that waits, in milliseconds.',
  },
  safeCommands: {
    type: 'boolean',
    default: false,
    description: 'Runs bash commands that only read, such as ls, without approval.',
  },
  outputBytes: {
    type: 'integer',
    minimum: 1024,
    maximum: 1_048_576,
    default: 65_536,
    description: 'Bytes of output above which it becomes an artifact.',
  },
  artifactBytes: {
    type: 'integer',
    minimum: 1024,
    maximum: 1_073_741_824,
    default: 67_108_864,
    description: 'Bytes of such an artifact; what follows is counted and left out.',
  },
  python: { type: 'string', minLength: 1, default: 'python3', description: 'Program that runs Python.' },
};
