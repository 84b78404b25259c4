/** A task that a scripted model writes: so many answers with so many calls each, then a final text. */
export interface LoopScript {
  readonly steps: number;
  readonly callsPerStep: number;
}

/** What the tool of every contender does; the sum shows that each call ran. */
export type LoopTool = (value: number) => Promise<number>;

/** Runs the script once, from a new run on, and resolves at its end. */
export type LoopRunner = (script: LoopScript) => Promise<void>;

/** The only tool: an integer in, the same out. */
export const toolDescription = 'Gives the value back';

/** Ids of calls, unique within a run. */
export function callId(step: number, index: number): string {
  return `call-${step}-${index}`;
}

/** The numbers from 0 up to `length`. */
export function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
