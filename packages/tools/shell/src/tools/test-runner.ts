import { execFile } from 'node:child_process';
import { constants, lstatSync } from 'node:fs';
import { mkdtemp, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { JsonObject, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { fileError, linesWithin, openWorkFolder } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { runCommand } from '../commands/run-command.ts';
import type { EndedCommand } from '../commands/run-command.ts';
import { inTurn } from '../commands/workspace-turn.ts';
import type { CommandTime } from '../commands/workspace-turn.ts';
import { findRunner, runners } from '../testing/find-runner.ts';
import type { RunnerName } from '../testing/find-runner.ts';
import type { TestReport } from '../testing/test-report.ts';
import { reportName } from '../testing/test-runner-kind.ts';
import type { TestCommand, TestRequest } from '../testing/test-runner-kind.ts';
import { artifactBlocks, cutNote, defaultTimeoutMs, notesBytes, previewOf, sharedArguments } from './shell-parts.ts';
import type { ShellParts } from './shell-parts.ts';

const maxReportBytes = 67_108_864;
const maxFailures = 50;
const notFound = 127;
const names = Object.keys(runners);

const documentation = `Runs the tests of a project and returns counts and failures as data. Known runners: ${names.join(', ')}.

- Without \`runner\`, the files of the folder decide: \`vitest\` in package.json or a vitest configuration, \`node --test\` in package.json, go.mod, files of pytest.
- \`files\` are test files, or folders; for go they are its packages. \`testName\` is a regular expression for vitest, node and go, and an
  expression of \`-k\` for pytest.
- Tests that fail are data and not an error: look at \`failed\` and \`failures\`. At most ${maxFailures} failures are listed; \`failed\` counts all.
- \`hasReport\` is false if the runner ended before it reported a test, for example because of a mistake in its configuration: read \`output\`.

Tests run the code of the project, so every call needs approval like a command.`;

/** Creates the tool `test_runner`, which runs tests and reports them as data. */
export function createTestRunnerTool(parts: ShellParts): Tool {
  const { cwd, timeoutMs } = sharedArguments(parts.maxTimeoutMs);
  return defineTool({
    name: 'test_runner',
    description:
      'Runs the tests of a project with vitest, node --test, go test or pytest, and returns counts and failures as data.',
    promptHint: 'test_runner runs tests and lists failures with file and line.',
    risk: 'high',
    managesOwnTimeout: true,
    retry: false,
    documentation: () => documentation,
    inputSchema: {
      type: 'object',
      properties: {
        runner: { enum: names as RunnerName[], description: 'Runner. Default: what the files of the folder say.' },
        files: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 4096 },
          maxItems: 100,
          description: 'Test files or folders, relative to the workspace. Default: all tests.',
        },
        testName: {
          type: 'string',
          minLength: 1,
          maxLength: 1000,
          description: 'Pattern of the names of tests. Default: all.',
        },
        cwd: { ...cwd, description: 'Folder of the project, relative to the workspace. Default: the workspace.' },
        timeoutMs,
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        runner: { enum: names },
        passed: { type: 'integer' },
        failed: { type: 'integer' },
        skipped: { type: 'integer' },
        failures: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              message: { type: 'string' },
              file: { type: 'string' },
              line: { type: 'integer' },
            },
            required: ['name', 'message'],
          },
        },
        hasReport: { type: 'boolean' },
        exitCode: { type: ['integer', 'null'] },
        timedOut: { type: 'boolean' },
        output: { type: 'string', description: 'Output of the runner.' },
        artifact: { type: 'string', description: 'Artifact with the output, if it is cut.' },
      },
      required: ['runner', 'passed', 'failed', 'skipped', 'failures', 'hasReport', 'exitCode', 'timedOut', 'output'],
    },
    classifyRisk({ runner, files = [], testName, cwd: folder }) {
      const what =
        files.length === 0
          ? 'all tests'
          : `the tests in ${files.slice(0, 5).join(', ')}${files.length > 5 ? ' and others' : ''}`;
      const named = testName === undefined ? '' : ` named ${JSON.stringify(testName.slice(0, 80))}`;
      const place = folder === undefined ? '' : `, in the folder ${JSON.stringify(folder.slice(0, 100))}`;
      return {
        risk: 'high',
        summary: `Run ${what}${named} with ${runner ?? 'the runner of the project'}${place}`.slice(0, 400),
      };
    },
    async execute({ timeoutMs: ms = Math.min(defaultTimeoutMs, parts.maxTimeoutMs), ...args }, context) {
      const workspace = parts.workspaceOf(context);
      if (args.testName?.includes('\0') === true) {
        throw new KernelError('E_ARGUMENTS_INVALID', 'The name of a test has a NUL character', { hadNoEffect: true });
      }
      const turn = { kind: 'test_runner', workspace, timeoutMs: ms };
      return inTurn(turn, context, (time) => runTests(parts, { workspace, args, time }, context));
    },
  });
}

interface TestRun {
  readonly workspace: Workspace;
  readonly args: TestArguments;
  readonly time: CommandTime;
}

async function runTests(
  parts: ShellParts,
  { workspace, args, time }: TestRun,
  context: ToolContext,
): Promise<ToolExecutionResult> {
  using folder = openWorkFolder(workspace, args.cwd);
  const files = (args.files ?? []).map((path) => {
    using place = workspace.locate(path);
    try {
      lstatSync(place.at());
    } catch (error) {
      throw fileError(path, error);
    }
    return join(workspace.root, place.path);
  });
  const runner = args.runner ?? (await findRunner(workspace, folder.path, folder.name));
  const reportFolder = await mkdtemp(join(parts.reportParent, 'ravi-tests-'));
  try {
    const { root } = workspace;
    const request = {
      root,
      folder: join(root, folder.name),
      files,
      testName: args.testName,
      reportFolder,
      python: parts.python,
    };
    const command = runners[runner].command(request);
    await writeHelpers(reportFolder, command);
    const run = { ...command, folder, timeoutMs: time.leftMs, writes: [reportFolder] };
    const ended = await runCommand(parts.settings, run, context);
    refuseMissing(runner, ended);
    return resultOf(runner, ended, { report: await readReport(runner, request), time }, context);
  } finally {
    await removeFolder(reportFolder);
  }
}

// Other commands may be able to change the folder meanwhile: unlike that of Node, this program opens each folder from the one above it.
async function removeFolder(path: string): Promise<void> {
  await promisify(execFile)('rm', ['-rf', '--one-file-system', '--', path]).catch(() => undefined);
}

async function writeHelpers(folder: string, { helpers = {} }: TestCommand): Promise<void> {
  for (const [name, text] of Object.entries(helpers)) await writeFile(join(folder, name), text, { flag: 'wx' });
}

// Tests can write anything there: a link is not followed, and a report that is too large does not count.
async function readReport(runner: RunnerName, request: TestRequest): Promise<TestReport | undefined> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(join(request.reportFolder, reportName), flags);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxReportBytes) return undefined;
    return runners[runner].read(request, await file.readFile('utf8'));
  } catch {
    return undefined;
  }
}

function refuseMissing(runner: RunnerName, { exitCode, output }: EndedCommand): void {
  const isMissing = exitCode === notFound || (runner === 'pytest' && output.text.includes('No module named pytest'));
  if (!isMissing) return;
  throw new KernelError('E_PROGRAM_NOT_FOUND', `The program of the test runner ${runner} is not installed`, {
    hadNoEffect: true,
  });
}

interface TestArguments {
  readonly runner?: RunnerName;
  readonly files?: readonly string[];
  readonly testName?: string;
  readonly cwd?: string;
}

interface TestOutcome {
  readonly report: TestReport | undefined;
  readonly time: CommandTime;
}

function resultOf(
  runner: RunnerName,
  { exitCode, timedOut, output }: EndedCommand,
  { report, time }: TestOutcome,
  { maxTextBytes }: Pick<ToolContext, 'maxTextBytes'>,
): ToolExecutionResult {
  const { passed, failed, skipped, failures } = report ?? { passed: 0, failed: 0, skipped: 0, failures: [] };
  const listed = failures.slice(0, maxFailures);
  const all = listed.map(({ name, message, file, line }) => {
    const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
    return `FAILED ${name}${place}\n${message}\n`;
  });
  const lines = linesWithin(all, maxTextBytes - notesBytes);
  const ending = timedOut ? `Ended after ${time.limitMs} ms${time.waited}, with all its processes. ` : '';
  const counts = `${runner}: ${passed} passed, ${failed} failed, ${skipped} skipped`;
  const summary =
    report === undefined ? `${runner} ended with exit code ${exitCode} before it reported a test` : counts;
  const more =
    failures.length > lines.length ? [`${failures.length - lines.length} more failures are left out of this text`] : [];
  const preview = report === undefined ? previewOf(output, maxTextBytes) : undefined;
  const text = [
    ...lines,
    ...more,
    ...(preview === undefined ? [] : [preview]),
    `${ending}${summary}${cutNote(output)}`,
  ];
  const structuredContent: JsonObject = {
    runner,
    passed,
    failed,
    skipped,
    failures: listed.map((failure) => ({ ...failure })),
    hasReport: report !== undefined,
    exitCode,
    timedOut,
    output: output.text,
    ...(output.artifact === undefined ? {} : { artifact: output.artifact.ref }),
  };
  const isTextCut = lines.length < listed.length || (preview !== undefined && preview !== output.text);
  const content = [textBlock(text.join('\n')), ...artifactBlocks(output)];
  return { content, isError: false, structuredContent, isTextCut };
}
