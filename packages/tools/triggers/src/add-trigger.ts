import { textBlock } from '@ravi/kernel';
import type { RiskAssessment, ToolContext, ToolExecutionResult, TriggerRequest } from '@ravi/kernel';
import { shortText, triggersOf, viewOf } from './trigger-parts.ts';
import type { TriggerToolParts } from './trigger-parts.ts';

/** Values of the arguments that every tool has that adds a trigger. */
export interface SharedArguments {
  readonly task: string;
  readonly continuesConversation?: boolean;
}

const maxSummaryCharacters = 120;

/** Returns the risk of a call that adds a trigger: its runs have effects later, without a person at hand. */
export function riskOfTrigger(when: string, args: Partial<SharedArguments>): RiskAssessment {
  const { task, continuesConversation } = args;
  // Before the task, which could imitate it.
  const where = continuesConversation === true ? ' that continues the conversation' : '';
  return { risk: 'high', summary: `Start a run${where} ${when}: ${shortText(String(task), maxSummaryCharacters)}` };
}

/** Adds a trigger for the call of a tool. */
export async function addTrigger(
  parts: TriggerToolParts,
  request: Pick<TriggerRequest, 'spec' | 'misfire'>,
  { task, continuesConversation = false }: SharedArguments,
  context: ToolContext,
): Promise<ToolExecutionResult> {
  context.check();
  const trigger = await triggersOf(parts).add({ ...request, input: task, continuesConversation }, context);
  const view = viewOf(trigger);
  const when = view['nextDueAt'] === undefined ? '' : ` First time: ${view['nextDueAt']}.`;
  const text = `Added the trigger ${trigger.id} for ${view['waitsFor']}.${when}`;
  return { content: [textBlock(text)], isError: false, structuredContent: view };
}
