import type { Conversation, WantedCall } from './conversation.ts';

const maxLines = 20;

/** Returns the next call of the agent `reviewer`, or its verdict on the patch that it reads. */
export function nextOfReviewer({ calls }: Conversation): WantedCall | string {
  const last = calls.at(-1);
  if (last === undefined) return { tool: 'git_diff', args: { staged: true } };
  if (last.isError) return `Refused: the change could not be read: ${last.text}`;
  const lines = last.text.split('\n');
  const files = lines.flatMap((line) => /^\+\+\+ b\/(.*)$/.exec(line)?.[1] ?? []);
  const changed = lines.filter((line) => /^[+-](?![+-]{2} )/.test(line)).length;
  if (files.length === 0) return 'Refused: nothing is staged.';
  const test = files.find((path) => path.includes('test'));
  if (test !== undefined) return `Refused: ${test} is a test.`;
  if (changed > maxLines) return `Refused: ${changed} lines are more than a repair needs.`;
  return `Approved: ${changed} lines of ${files.join(', ')}, and no test.`;
}
