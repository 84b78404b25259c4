import type { Conversation, MadeCall, WantedCall } from './conversation.ts';
import { repairScript, reviewTask } from './repair-script.ts';

const product = / \w+ \+ \w+;$/;

/** Returns the next call of the agent `coder`, or what it reports. Each step depends on the results before it. */
export function nextOfCoder({ task, calls }: Conversation): WantedCall | string {
  const last = calls.at(-1);
  if (last === undefined) {
    if (task.includes('in one script')) return { tool: 'tool_chain', args: { code: repairScript } };
    return { tool: 'test_runner', args: {} };
  }
  if (last.isError) return `I stopped, because ${last.tool} failed: ${last.text}`;
  const edit = calls.findLast(({ tool }) => tool === 'edit');
  switch (last.tool) {
    case 'test_runner':
      return afterTests(last, edit);
    case 'grep':
      return afterSearch(last);
    case 'read':
      return afterReading(last);
    case 'edit':
      return { tool: 'test_runner', args: {} };
    case 'undo':
      return 'The tests fail with my change too, so I took it back. Nothing is committed.';
    case 'git_add':
      return { tool: 'reviewer', args: { task: reviewTask } };
    case 'reviewer':
      return afterReview(last, calls);
    case 'git_commit':
      return afterCommit(task, last);
    case 'add_timer':
      return `The repair is committed. ${last.text}`;
    case 'git_log':
      return `All tests pass. The last commit is ${last.text.split('\n', 1)[0]}`;
    default:
      return last.text;
  }
}

function afterTests({ text }: MadeCall, edit: MadeCall | undefined): WantedCall | string {
  const [, failed] = /(\d+) failed/.exec(text) ?? [];
  if (failed === undefined) return `The tests could not run: ${text}`;
  if (failed !== '0') return edit === undefined ? searchFor(text) : { tool: 'undo', args: {} };
  if (edit === undefined) return { tool: 'git_log', args: { limit: 1 } };
  return { tool: 'git_add', args: { paths: [pathOf(edit)] } };
}

/** The names of the tests begin with the function that they are about. */
function searchFor(failures: string): WantedCall | string {
  const [, name] = /^FAILED (\w+)/m.exec(failures) ?? [];
  if (name === undefined) return `I do not understand these failures: ${failures}`;
  return { tool: 'grep', args: { pattern: `export function ${name}\\b` } };
}

function afterSearch({ text }: MadeCall): WantedCall | string {
  const [path = ''] = text.split('\n');
  return path.endsWith('.js') ? { tool: 'read', args: { path } } : `I did not find the function: ${text}`;
}

/** It knows one kind of mistake: a sum in place of a product. */
function afterReading(call: MadeCall): WantedCall | string {
  const path = pathOf(call);
  const [oldText] = call.text.split('\n').flatMap((line) => product.exec(line)?.[0].trim() ?? []);
  if (oldText === undefined) return `I found no mistake in ${path}.`;
  return { tool: 'edit', args: { path, oldText, newText: oldText.replace('+', '*') } };
}

function pathOf({ args: { path } }: MadeCall): string {
  return typeof path === 'string' ? path : '';
}

function afterReview({ text }: MadeCall, calls: readonly MadeCall[]): WantedCall | string {
  if (!text.startsWith('Approved')) return `I did not commit. The reviewer says: ${text}`;
  const [, test = 'the tests'] = calls.flatMap((call) => /^FAILED (.+?) \(/m.exec(call.text) ?? []);
  return { tool: 'git_commit', args: { message: `Repair what fails: ${test}` } };
}

function afterCommit(task: string, { text }: MadeCall): WantedCall | string {
  // Not every provider marks a result that is an error.
  if (!/^[0-9a-f]{7,} /.test(text)) return `Nothing is committed: ${text}`;
  const [, seconds] = /again in (\d+) seconds/.exec(task) ?? [];
  if (seconds === undefined) return `The repair is committed: ${text}`;
  const checking = 'Run the tests of the repository, and report them and the last commit.';
  return { tool: 'add_timer', args: { task: checking, inMs: Number(seconds) * 1_000, everyMs: 86_400_000 } };
}
