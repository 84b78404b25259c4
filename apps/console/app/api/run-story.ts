import type { ChainCallRecord, ConsoleLine, ModelUsage, ProgressUpdate } from '@ravi/kernel';
import type { CallView, StepView } from './wire.ts';

/** State of a run from its events, including what its record does not hold. */
export interface RunStory {
  readonly steps: readonly StepView[];
  /** By id, in the order of their beginning. */
  readonly calls: Readonly<Record<string, CallView>>;
  /** Text of the current model response so far. */
  readonly text: string;
  readonly progress: Readonly<Record<string, ProgressUpdate>>;
  readonly console: readonly ConsoleLine[];
}

/** The beginning of every story. */
export const emptyStory: RunStory = { steps: [], calls: {}, text: '', progress: {}, console: [] };

type CallEvent = Pick<CallView, 'callId' | 'tool' | 'caller' | 'parentId'> & Partial<ChainCallRecord>;

/** Data of each event by name; other events only signal that the run has changed. */
export interface RunEventData {
  readonly step: { readonly step: number; readonly status: 'started' | 'ended' };
  readonly usage: ModelUsage & { readonly step?: number };
  readonly 'model-delta': { readonly text: string };
  readonly 'tool-call': CallEvent;
  readonly 'tool-progress': { readonly callId: string; readonly update: ProgressUpdate };
  readonly 'tool-result': CallEvent;
  readonly console: ConsoleLine;
}

/** Adds an event to a story; `at` is its time in milliseconds since the Unix epoch. */
export const continuations: {
  readonly [Name in keyof RunEventData]: (story: RunStory, data: RunEventData[Name], at: number) => RunStory;
} = {
  step: (story, { step, status }, at) => {
    if (status === 'started') return { ...story, text: '', steps: [...story.steps, { step, startedAt: at }] };
    return withStep(story, step, (begun) => ({ ...begun, durationMs: at - begun.startedAt }));
  },
  usage: (story, { step, ...usage }) =>
    step === undefined ? story : withStep(story, step, (begun) => ({ ...begun, usage })),
  'model-delta': (story, { text }) => ({ ...story, text: story.text + text }),
  'tool-call': (story, event, at) => withCall(story, event, { status: 'started', startedAt: at, durationMs: 0 }),
  'tool-result': (story, event, at) => {
    const { durationMs = 0, status = 'ok' } = event;
    return withCall(story, event, { startedAt: at - durationMs, durationMs, status });
  },
  'tool-progress': (story, { callId, update }) => ({ ...story, progress: { ...story.progress, [callId]: update } }),
  console: (story, line) => ({ ...story, console: [...story.console, line] }),
};

function withStep(story: RunStory, step: number, change: (begun: StepView) => StepView): RunStory {
  return { ...story, steps: story.steps.map((each) => (each.step === step ? change(each) : each)) };
}

function withCall(
  story: RunStory,
  event: CallEvent,
  facts: Pick<CallView, 'status' | 'startedAt' | 'durationMs'>,
): RunStory {
  const { callId, tool, caller, parentId, errorCode } = event;
  const call: CallView = {
    argsDigest: '',
    argsPreview: '',
    ...story.calls[callId],
    callId,
    tool,
    caller,
    ...facts,
    ...(parentId === undefined ? {} : { parentId }),
    ...(errorCode === undefined ? {} : { errorCode }),
  };
  return { ...story, calls: { ...story.calls, [callId]: call } };
}
