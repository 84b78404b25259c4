import type { JsonObject, JsonValue, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';

/** A tool that records the arguments of its calls. */
export interface RecordingTool extends Tool {
  readonly calls: readonly JsonObject[];
  readonly contexts: readonly ToolContext[];
}

/** Fields of a test tool that replace the defaults; `run` is its `execute`. */
export interface ToolOverrides extends Partial<Omit<Tool, 'execute'>> {
  run?(args: JsonObject, context: ToolContext): unknown;
}

/** Creates a tool that accepts any object and returns `ok`, or the result of `run`. */
export function recordingTool(name: string, { run, ...overrides }: ToolOverrides = {}): RecordingTool {
  const calls: JsonObject[] = [];
  const contexts: ToolContext[] = [];
  return {
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: 'object' },
    ...overrides,
    calls,
    contexts,
    async execute(args, context) {
      calls.push(args);
      contexts.push(context);
      return (run === undefined ? textResult('ok') : await run(args, context)) as ToolExecutionResult;
    },
  };
}

/** Builds a result with text only. */
export function textResult(text: string): ToolExecutionResult {
  return { content: [{ type: 'text', text }], isError: false };
}

/** Builds a result with a structured value only; the value may be invalid JSON. */
export function valueResult(structuredContent: unknown): ToolExecutionResult {
  return { content: [], isError: false, structuredContent: structuredContent as JsonValue };
}

/** A tool whose calls end when the test ends them. */
export interface HeldTool extends RecordingTool {
  /** Resolves once the call of this number (from 0) runs. */
  started(index: number): Promise<void>;
  /** Ends the call of this number with a value, or by throwing the result of `fail`. */
  finish(index: number, value?: ToolExecutionResult): void;
  fail(index: number, error: unknown): void;
  /** Number of running calls, and the highest number at any time. */
  readonly running: number;
  readonly mostRunning: number;
}

/** Creates a {@link HeldTool}. */
export function heldTool(name: string, overrides: Omit<ToolOverrides, 'run'> = {}): HeldTool {
  const starts: PromiseWithResolvers<void>[] = [];
  const ends: PromiseWithResolvers<ToolExecutionResult>[] = [];
  const at = <Value>(list: PromiseWithResolvers<Value>[], index: number): PromiseWithResolvers<Value> =>
    (list[index] ??= Promise.withResolvers<Value>());
  let running = 0;
  let mostRunning = 0;
  const tool = recordingTool(name, {
    ...overrides,
    async run() {
      const index = tool.calls.length - 1;
      mostRunning = Math.max(mostRunning, ++running);
      at(starts, index).resolve();
      try {
        return await at(ends, index).promise;
      } finally {
        running--;
      }
    },
  });
  return Object.defineProperties(tool as HeldTool, {
    started: { value: (index: number) => at(starts, index).promise },
    finish: { value: (index: number, value = textResult('ok')) => at(ends, index).resolve(value) },
    fail: { value: (index: number, error: unknown) => at(ends, index).reject(error) },
    running: { get: () => running },
    mostRunning: { get: () => mostRunning },
  });
}
