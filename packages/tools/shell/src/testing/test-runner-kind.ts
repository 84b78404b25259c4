import type { TestReport } from './test-report.ts';

/** Subject of a test run. Paths are absolute and inside the workspace, so that none reads like an option. */
export interface TestRequest {
  /** Root of the workspace. */
  readonly root: string;
  /** Folder in which the runner starts. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly testName: string | undefined;
  /** Folder for the report, outside of the workspace. */
  readonly reportFolder: string;
  readonly python: string;
}

/** Program to start for a test run. */
export interface TestCommand {
  readonly argv: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Files to write into the report folder before. */
  readonly helpers?: Readonly<Record<string, string>>;
}

/** Test runner that this package knows. */
export interface TestRunnerKind {
  /** True if the files of a folder say that its tests are run by it. */
  detects(project: ProjectFiles): boolean;
  command(request: TestRequest): TestCommand;
  /** Reads the report that the command wrote; `undefined` if there is none in it. */
  read(request: TestRequest, report: string): TestReport | undefined;
}

/** Files of a folder that tell its test runner. */
export interface ProjectFiles {
  /** Names of the entries of the folder. */
  readonly names: readonly string[];
  /** Text of a file of the folder; empty if there is none. */
  text(name: string): string;
}

/** Name of the report in its folder. */
export const reportName = 'report.jsonl';
