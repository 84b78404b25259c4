/** Task of a scripted model: a number of responses with a number of calls each, then a final text. */
export interface LoopScript {
  readonly steps: number;
  readonly callsPerStep: number;
}

/** Body of the tool of every contender; the sum shows that each call ran. */
export type LoopTool = (value: number) => Promise<number>;

/** Runs the script once in a new run and resolves at its end. */
export type LoopRunner = (script: LoopScript) => Promise<void>;

/** The only tool: returns the integer that it gets. */
export const toolDescription = 'Gives the value back';

/** Returns ids of calls, unique within a run. */
export function callId(step: number, index: number): string {
  return `call-${step}-${index}`;
}

/** Returns the numbers from 0 up to `length`. */
export function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
