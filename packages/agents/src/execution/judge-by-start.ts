import type { JsonObject, RiskAssessment, Tool } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import { shownToHuman } from './dialogue-summary.ts';
import type { Dialogue } from './dialogue.ts';
import type { OpenDialogues } from './open-dialogues.ts';

/**
 * How the calls that go on with a dialogue are judged and what they lock: by the arguments that it was started with,
 * since their own say nothing of what the tool does.
 */
export function judgeByStart(start: Tool, dialogues: OpenDialogues): Pick<Tool, 'classifyRisk' | 'concurrency'> {
  const { concurrency } = start;
  const isParallel = concurrency === undefined || concurrency === 'parallel';
  // What is safe whatever it is called with waits for nobody, and starts while the model still writes.
  const isSafe = start.risk === 'safe' && start.classifyRisk === undefined;
  return {
    ...(isSafe && isParallel ? {} : { classifyRisk: (args) => judge(start, dialogues, args) }),
    ...(typeof concurrency === 'object'
      ? { concurrency: { keys: ({ id }) => keysOf(dialogues.get(id), (args) => concurrency.keys(args)) } }
      : {}),
  };
}

function judge(start: Tool, dialogues: OpenDialogues, args: JsonObject): RiskAssessment {
  const { id, stop } = args;
  if (typeof id !== 'string') {
    return { risk: 'critical', summary: 'What this goes on with is not known before its id is read' };
  }
  const dialogue = dialogues.get(id);
  // Such a call fails: nobody can guess an id before it is given.
  if (dialogue === undefined) return { risk: 'safe', summary: `Nothing is open with the id ${shownToHuman(id)}` };
  dialogue.expectAnswer(args);
  const summary = summaryOf(dialogue, stop === true);
  if (start.classifyRisk === undefined) return { risk: 'safe', summary };
  const own = start.classifyRisk(dialogue.args);
  return {
    risk: own.risk,
    summary: typeof own.summary === 'string' ? `${summary}. Of its start: ${own.summary}` : summary,
  };
}

function summaryOf({ id, args, lastShown }: Dialogue, isStop: boolean): string {
  const what = isStop ? 'Ends' : 'Goes on with';
  return `${what} ${id}, which was started with ${shownToHuman(args)} and gave ${lastShown} last`;
}

function keysOf(dialogue: Dialogue | undefined, keys: (args: JsonObject) => readonly string[]): readonly string[] {
  return dialogue === undefined ? emptyArray : keys(dialogue.args);
}
