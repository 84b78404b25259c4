import type { JsonObject, RiskAssessment, Tool } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { StatefulCallRegistry } from './stateful-call-registry.ts';
import type { StatefulCall } from './stateful-call.ts';
import { summarizeValue } from './stateful-call.ts';

/**
 * Returns the risk and the locks of `<name>_continue`: those of the arguments that the stateful call was started with,
 * because the arguments of a continuation do not say what the tool does.
 */
export function classifyContinuation(
  start: Tool,
  calls: StatefulCallRegistry,
): Pick<Tool, 'classifyRisk' | 'concurrency'> {
  const { concurrency } = start;
  const isParallel = concurrency === undefined || concurrency === 'parallel';
  // A tool that is safe with any arguments needs no approval, and its calls start while the model is still writing.
  const isSafe = start.risk === 'safe' && start.classifyRisk === undefined;
  return {
    ...(isSafe && isParallel ? {} : { classifyRisk: (args) => classify(start, calls, args) }),
    ...(typeof concurrency === 'object'
      ? { concurrency: { keys: ({ id }) => keysOf(calls.get(id), (args) => concurrency.keys(args)) } }
      : {}),
  };
}

function classify(start: Tool, calls: StatefulCallRegistry, args: JsonObject): RiskAssessment {
  const { id, stop } = args;
  if (typeof id !== 'string') {
    return { risk: 'critical', summary: 'The id is not text, so the call that this continues is unknown' };
  }
  const call = calls.get(id);
  // Such a call fails: ids cannot be guessed.
  if (call === undefined) return { risk: 'safe', summary: `No open call has the id ${summarizeValue(id)}` };
  call.expectReply(args);
  const summary = summaryOf(call, stop === true);
  if (start.classifyRisk === undefined) return { risk: 'safe', summary };
  const own = start.classifyRisk(call.args);
  return {
    risk: own.risk,
    summary: typeof own.summary === 'string' ? `${summary}. About its start: ${own.summary}` : summary,
  };
}

function summaryOf({ id, args, lastShown }: StatefulCall, isStop: boolean): string {
  const verb = isStop ? 'Stops' : 'Continues';
  return `${verb} ${id}, which was started with ${summarizeValue(args)} and last returned ${lastShown}`;
}

function keysOf(call: StatefulCall | undefined, keys: (args: JsonObject) => readonly string[]): readonly string[] {
  return call === undefined ? emptyArray : keys(call.args);
}
