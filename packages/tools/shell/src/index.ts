import type { JsonSchema, Plugin } from '@ravi/kernel';
import { defineToolsPlugin, workspaceOfCall } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { createEnvironment } from './process/environment.ts';
import { findIsolation } from './process/isolation.ts';
import { createBashBackgroundTool } from './tools/bash-background.ts';
import { createBashTool } from './tools/bash.ts';
import { createCodeExecTool } from './tools/code-exec.ts';
import { createPythonAliasTool } from './tools/python.ts';
import type { ShellParts } from './tools/shell-parts.ts';
import { createTestRunnerTool } from './tools/test-runner.ts';

/** Options of the shell tools in the configuration. */
export interface ShellToolsOptions {
  /** Folder in which commands start, relative to the configuration. Default: the folder of each run. */
  readonly root?: string;
  /** Names of variables of the server that commands see, in addition to `PATH`, `HOME`, `LANG` and the like. */
  readonly passEnv?: readonly string[];
  /** Variables for commands, with their values. */
  readonly env?: Readonly<Record<string, string>>;
  /** Program and arguments before each command, for example `["bwrap", "--ro-bind", "/", "/"]`. */
  readonly wrapper?: readonly string[];
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

const plugin: Plugin<'toolSource', ShellToolsOptions & ToolSelection> = defineToolsPlugin<
  ShellToolsOptions,
  ShellParts
>({
  name: 'tools-shell',
  options: {
    root: {
      type: 'string',
      minLength: 1,
      description: 'Folder in which commands start, relative to the configuration. Default: the folder of each run.',
    },
    passEnv: texts('Names of variables of the server that commands see, in addition to PATH, HOME, LANG and the like.'),
    env: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Variables for commands, with their values.',
    },
    wrapper: texts('Program and arguments before each command, for example of a sandbox. Default: none.'),
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
  },
  tools: {
    bash: createBashTool,
    bash_background: createBashBackgroundTool,
    code_exec: createCodeExecTool,
    python: createPythonAliasTool,
    test_runner: createTestRunnerTool,
  },
  async open(options, { baseDir, logger }) {
    const { root, passEnv = [], env = {}, wrapper = [], python = 'python3', safeCommands = false } = options;
    const { maxTimeoutMs = 600_000, outputBytes = 65_536, artifactBytes = 67_108_864 } = options;
    const isolation = await findIsolation();
    if (isolation.kind === 'mark' && wrapper.length === 0) {
      logger.warn('commands run without a PID namespace: a process that hides on purpose can outlive its call', {});
    }
    return {
      settings: {
        isolation,
        wrapper,
        environment: createEnvironment({ own: process.env, passEnv, env }),
        limits: { textBytes: outputBytes, artifactBytes },
      },
      workspaceOf: workspaceOfCall({ root, baseDir }),
      maxTimeoutMs,
      safeCommands,
      python,
    };
  },
});
export default plugin;
