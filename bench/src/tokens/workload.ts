import type { InvocationResult, JsonObject, JsonValue, Tool } from '@ravi/kernel';

/** A call that a model wrote. */
export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** One turn of a model: the calls that it makes together, and what it reads of them. */
export type TakeStep = (calls: readonly PlannedCall[]) => Promise<readonly InvocationResult[]>;

/** A task that can be done by plain tool calls and by one script. */
export interface TokenWorkload {
  readonly name: string;
  /** What of the plain input the script may need, as `isReached` reads it: `≤ 0.01×` is 99 % saved. */
  readonly goal: string;
  /** What the user asks. */
  readonly task: string;
  readonly tools: readonly Tool[];
  /** Plain tool calling at its best: no mistake, and calls that need not wait for each other made in one turn. */
  callTools(takeStep: TakeStep): Promise<JsonValue>;
  /** What a model writes for `tool_chain`. */
  readonly script: string;
  /** What both come to. */
  readonly answer: JsonValue;
}
