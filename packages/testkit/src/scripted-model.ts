import type { InvocationError, JsonObject, ModelEvent, ModelProvider, ModelRequest, ModelUsage } from '@ravi/kernel';

/** A tool call that a scripted model makes. */
export interface ScriptedToolCall {
  readonly name: string;
  readonly arguments?: JsonObject;
  /** `call-<turn>-<position>`, both from 1, when absent. */
  readonly id?: string;
}

/** One answer of a scripted model. */
export interface ScriptedTurn {
  /** Streamed word by word. */
  readonly text?: string;
  /** Makes the turn stop for `tool-use`. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Ends the turn with an `error` event instead of `finish`. */
  readonly error?: InvocationError;
  /** Zero tokens when absent. */
  readonly usage?: ModelUsage;
}

/** A model that answers what a test wrote down. */
export interface ScriptedModel extends ModelProvider {
  /** What it was asked, oldest first. */
  readonly requests: readonly ModelRequest[];
}

/**
 * A {@link ScriptedModel}: request n gets turn n, a function turn sees the request first. A request after the last turn
 * gets an `error` event, as does an aborted one.
 */
export function createScriptedModel(
  turns: readonly (ScriptedTurn | ((request: ModelRequest) => ScriptedTurn))[],
  { id = 'scripted' }: { readonly id?: string } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];

  return {
    id,
    requests,
    async *stream(request, { signal }) {
      requests.push(request);
      const position = requests.length;
      const turn = turns[position - 1];
      for (const event of turn === undefined
        ? [failure('E_INTERNAL', `The scripted model has ${turns.length} turns and was asked for turn ${position}`)]
        : eventsOf(typeof turn === 'function' ? turn(request) : turn, position)) {
        if (signal.aborted) {
          yield failure('E_CANCELLED', 'The request was cancelled');
          return;
        }
        yield event;
      }
    },
  };
}

function eventsOf(turn: ScriptedTurn, position: number): readonly ModelEvent[] {
  const events: ModelEvent[] = [];
  for (const text of turn.text?.match(/\s*\S+\s*$|\s*\S+|\s+/gu) ?? []) events.push({ type: 'text-delta', text });
  turn.toolCalls?.forEach((call, index) => {
    const block = {
      type: 'tool_use',
      id: call.id ?? `call-${position}-${index + 1}`,
      name: call.name,
      arguments: call.arguments ?? {},
    } as const;
    events.push({ type: 'block', block });
  });
  if (turn.error !== undefined) return [...events, { type: 'error', error: turn.error }];
  const reason = (turn.toolCalls?.length ?? 0) > 0 ? 'tool-use' : 'end';
  return [...events, { type: 'finish', reason, usage: turn.usage ?? { inputTokens: 0, outputTokens: 0 } }];
}

function failure(code: string, message: string): ModelEvent {
  return { type: 'error', error: { code, message, retryable: false } };
}
