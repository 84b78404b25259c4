import type { InvocationResult, JsonObject, JsonValue, Tool } from '@ravi/kernel';

/** Call by a model. */
export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** Turn of a model: the calls that it makes together, and what it reads of their results. */
export type TakeStep = (calls: readonly PlannedCall[]) => Promise<readonly InvocationResult[]>;

/** Task for plain tool calls and for one script. */
export interface TokenWorkload {
  readonly name: string;
  /** Share of the plain input that the script may need, in the notation of `isReached`: `≤ 0.01×` is 99 % saved. */
  readonly goal: string;
  /** Task in the words of the user. */
  readonly task: string;
  readonly tools: readonly Tool[];
  /** Plain tool calls at their best: no mistakes, and independent calls in one turn. */
  callTools(takeStep: TakeStep): Promise<JsonValue>;
  /** Script for `tool_chain`. */
  readonly script: string;
  /** Result of both. */
  readonly answer: JsonValue;
}
