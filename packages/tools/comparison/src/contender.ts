import type { OperationKind } from './operation.ts';

/** A package whose built-in tools are measured. */
export interface Contender {
  readonly id: 'ravi' | 'pi' | 'gemini';
  readonly name: string;
  /** Packages whose versions the page lists. */
  readonly packages: readonly string[];
  /** Set-up, for the page. */
  readonly settings: string;
  /** Kinds of calls that it has no tool for, with the reason. */
  readonly notOffered: Partial<Readonly<Record<OperationKind, string>>>;
}

const noGit = 'it has no tools for Git';

/** Contenders in the order of the page. */
export const contenders: readonly Contender[] = [
  {
    id: 'ravi',
    name: 'Ravi',
    packages: ['files', 'search', 'shell', 'git', 'web'].map((name) => `@ravi/tools-${name}`),
    settings:
      'The parts of the reference server over a configuration file: five sources of tools with `root`, an `identity` for commits, default options otherwise, and the default policy. ' +
      '`@ravi/approval-auto` plays the person who approves.',
    notOffered: {},
  },
  {
    id: 'pi',
    name: 'Pi',
    packages: ['@earendil-works/pi-coding-agent'],
    settings:
      '`createCodingTools(cwd)` and `createReadOnlyTools(cwd)` of its SDK with default options. Pi asks for no approval; its documentation says so, and advises a container or a ' +
      'virtual machine around it. ripgrep is on the `PATH`.',
    notOffered: {
      find: '`find` needs the program `fd`, which Pi downloads when it is first used',
      fetch: 'it has no tools for the web',
      status: noGit,
      diff: noGit,
      stage: noGit,
      commit: noGit,
    },
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    packages: ['@google/gemini-cli-core'],
    settings:
      '`Config` and `Scheduler` with the policies of the package in the approval mode `default`, redaction of environment variables on, and ' +
      'direct web fetch on, because without it a model fetches. Commands end after 5 s without output instead of 300 s, and a request is made once. ' +
      'The npm package has no ripgrep, so `grep_search` uses `git grep` and `grep`.',
    notOffered: { status: noGit, diff: noGit, stage: noGit, commit: noGit },
  },
];
