import type { JsonObject, JsonValue, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';

/** A tool that remembers what it was called with. */
export interface RecordingTool extends Tool {
  readonly calls: readonly JsonObject[];
  readonly contexts: readonly ToolContext[];
}

/** What a tool of a test says instead of the defaults; `run` is its `execute`. */
export interface ToolOverrides extends Partial<Omit<Tool, 'execute'>> {
  run?(args: JsonObject, context: ToolContext): unknown;
}

/** A tool that takes any object and answers `ok` unless `run` says otherwise. */
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

/** A result of text alone. */
export function textResult(text: string): ToolExecutionResult {
  return { content: [{ type: 'text', text }], isError: false };
}

/** A result of a value alone; a test may hand in what is no JSON. */
export function valueResult(structuredContent: unknown): ToolExecutionResult {
  return { content: [], isError: false, structuredContent: structuredContent as JsonValue };
}

/** A tool whose calls end when the test says so. */
export interface HeldTool extends RecordingTool {
  /** Resolves once the call of this number (from 0) runs. */
  started(index: number): Promise<void>;
  /** Ends the call of this number with a value, or by throwing what `fail` gives. */
  finish(index: number, value?: ToolExecutionResult): void;
  fail(index: number, error: unknown): void;
  /** Calls that run now, and the most that ever ran at once. */
  readonly running: number;
  readonly mostRunning: number;
}

/** A {@link HeldTool}. */
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
