import type {
  ContentBlock,
  JsonObject,
  ModelError,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  ModelStopReason,
  ModelUsage,
  ToolUseBlock,
} from '@ravi/kernel';

/** A tool call that a scripted model makes. */
export interface ScriptedToolCall {
  readonly name: string;
  readonly arguments?: JsonObject;
  /** `call-<turn>-<position>`, both from 1, when absent. */
  readonly id?: string;
  /** Makes it a call that must not run; it then has no arguments. */
  readonly invalid?: ToolUseBlock['invalid'];
  /** The type of a provider-defined call. */
  readonly callType?: string;
}

/** One answer of a scripted model. */
export interface ScriptedTurn {
  /** Comes first, streamed word by word. */
  readonly reasoning?: string;
  /** Streamed word by word. */
  readonly text?: string;
  /** Blocks of any other kind, between text and calls. */
  readonly blocks?: readonly ContentBlock[];
  /** Makes the turn stop for `tool-use`. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Ends the turn with an `error` event instead of `finish`. */
  readonly error?: ModelError;
  /** Instead of the reason that follows from the turn. */
  readonly reason?: ModelStopReason;
  /** Zero tokens when absent. */
  readonly usage?: ModelUsage;
}

/** A model that answers what a test wrote down. */
export interface ScriptedModel extends ModelProvider {
  /** Received requests, oldest first. */
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
  const events = [
    ...writtenOut('reasoning', turn.reasoning),
    ...writtenOut('text', turn.text),
    ...(turn.blocks ?? []).map((block): ModelEvent => ({ type: 'block', block })),
    ...(turn.toolCalls ?? []).flatMap((call, index) =>
      toolCallEvents(call, call.id ?? `call-${position}-${index + 1}`),
    ),
  ];
  if (turn.error !== undefined) return [...events, { type: 'error', error: turn.error }];
  const reason = turn.reason ?? ((turn.toolCalls?.length ?? 0) > 0 ? 'tool-use' : 'end');
  return [...events, { type: 'finish', reason, usage: turn.usage ?? { inputTokens: 0, outputTokens: 0 } }];
}

function writtenOut(type: 'text' | 'reasoning', text = ''): readonly ModelEvent[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+|\s+/gu);
  if (words === null) return [];
  return [
    ...words.map((word): ModelEvent => ({ type: `${type}-delta`, text: word })),
    { type: 'block', block: { type, text } },
  ];
}

function toolCallEvents(call: ScriptedToolCall, id: string): readonly ModelEvent[] {
  const { name, invalid, callType } = call;
  const args = invalid === undefined ? (call.arguments ?? {}) : {};
  const block: ToolUseBlock = {
    type: 'tool_use',
    id,
    name,
    arguments: args,
    ...(invalid === undefined ? {} : { invalid }),
    ...(callType === undefined ? {} : { callType }),
  };
  return [
    { type: 'tool-call-start', id, name },
    { type: 'tool-call-delta', id, text: invalid?.text ?? JSON.stringify(args) },
    { type: 'block', block },
  ];
}

function failure(code: string, message: string): ModelEvent {
  return { type: 'error', error: { code, message, retryable: false } };
}
