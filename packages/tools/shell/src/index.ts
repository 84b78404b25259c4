import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin, workspaceOfCall } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { openSettings, reportParentOf } from './commands/open-settings.ts';
import { shellOptionSchemas } from './options.ts';
import type { ShellToolsOptions } from './options.ts';
import { createBashBackgroundTool } from './tools/bash-background.ts';
import { createBashTool } from './tools/bash.ts';
import { createCodeExecTool, createPythonAliasTool } from './tools/code-exec.ts';
import type { ShellParts } from './tools/shell-parts.ts';
import { createTestRunnerTool } from './tools/test-runner.ts';

export type { ContainerOptions } from './container/container-options.ts';
export type { ShellToolsOptions } from './options.ts';

const plugin: Plugin<'toolSource', ShellToolsOptions & ToolSelection> = defineToolsPlugin<
  ShellToolsOptions,
  ShellParts
>({
  name: 'tools-shell',
  options: shellOptionSchemas,
  tools: {
    bash: createBashTool,
    bash_background: createBashBackgroundTool,
    code_exec: createCodeExecTool,
    python: createPythonAliasTool,
    test_runner: createTestRunnerTool,
  },
  async open(options, context) {
    const { root, python = 'python3', safeCommands = false, maxTimeoutMs = 600_000 } = options;
    const { baseDir } = context;
    return {
      reportParent: reportParentOf(options, baseDir),
      settings: await openSettings(options, context),
      workspaceOf: workspaceOfCall({ root, baseDir }),
      maxTimeoutMs,
      safeCommands,
      python,
    };
  },
});
export default plugin;
