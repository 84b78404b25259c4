import type { Call, RecordedEvent, RecordedEventData } from '@ravi/api';
import type { ConsoleLine, ModelUsage, ProgressUpdate } from '@ravi/kernel';

/** One response of the model within a run. */
export interface StepView {
  /** From 1. */
  readonly step: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Absent while the model writes. */
  readonly durationMs?: number;
  readonly model?: string;
  readonly usage?: ModelUsage;
  readonly text?: string;
  /** True if its process ended before the step did. */
  readonly isCut?: boolean;
}

/** State of a run from its events, including what its record does not hold. */
export interface RunStory {
  readonly steps: readonly StepView[];
  /** By id, in the order of their start. */
  readonly calls: Readonly<Record<string, Call>>;
  /** Text of the current model response so far. */
  readonly text: string;
  readonly progress: Readonly<Record<string, ProgressUpdate>>;
  readonly console: readonly ConsoleLine[];
  /** Time of the newest event. */
  readonly lastAt?: number;
}

/** The story of a run without events. */
export const emptyStory: RunStory = { steps: [], calls: {}, text: '', progress: {}, console: [] };

type CallEvent = RecordedEventData['tool-call'] | RecordedEventData['tool-result'];

/** Events that continue a story; other events only say that the run has changed. */
export type StoryEvent =
  | 'console'
  | 'model-delta'
  | 'model-end'
  | 'model-retry'
  | 'model-text'
  | 'run-start'
  | 'step-end'
  | 'step-start'
  | 'tool-call'
  | 'tool-progress'
  | 'tool-retry'
  | 'tool-result';

/** Adds an event to a story; `at` is its time in milliseconds since the Unix epoch. */
export const continuations: {
  readonly [Name in StoryEvent]: (story: RunStory, data: RecordedEventData[Name], at: number) => RunStory;
} = {
  'run-start': (story) => ({ ...story, text: '', steps: story.steps.map((step) => cutAt(step, story.lastAt)) }),
  'step-start': (story, { step }, at) => ({ ...story, text: '', steps: [...story.steps, { step, startedAt: at }] }),
  // The next process ends a cut step too; its time does not include the downtime.
  'step-end': (story, { step }, at) =>
    withStep(story, step, (begun) => (begun.isCut === true ? begun : { ...begun, durationMs: at - begun.startedAt })),
  'model-end': (story, { step, usage }) => withStep(story, step, (begun) => ({ ...begun, usage })),
  'model-delta': (story, { text }) => ({ ...story, text: story.text + text }),
  'model-text': (story, { text }) => ({ ...story, text }),
  // The text of the failed attempt is void.
  'model-retry': (story) => ({ ...story, text: '' }),
  'tool-call': (story, event, at) => withCall(story, event, { status: 'started', startedAt: at, durationMs: 0 }),
  'tool-result': (story, event, at) => {
    const { durationMs, status } = event;
    return withCall(story, event, { startedAt: at - durationMs, durationMs, status });
  },
  'tool-progress': (story, { callId, update }) => ({ ...story, progress: { ...story.progress, [callId]: update } }),
  'tool-retry': (story, { callId, attempt, error }) => {
    const update = { message: `${error.code}: attempt ${attempt + 1} follows` };
    return { ...story, progress: { ...story.progress, [callId]: update } };
  },
  console: (story, line) => ({ ...story, console: [...story.console, line] }),
};

/** Returns the story of a run after one more of its events. */
export function continueStory(story: RunStory, { type, data, at }: RecordedEvent): RunStory {
  const next = isStoryEvent(type) ? continueWith(story, type, data as RecordedEventData[typeof type], at) : story;
  return { ...next, lastAt: at };
}

function isStoryEvent(type: string): type is StoryEvent {
  return Object.hasOwn(continuations, type);
}

function continueWith<Type extends StoryEvent>(
  story: RunStory,
  type: Type,
  data: RecordedEventData[Type],
  at: number,
): RunStory {
  return continuations[type](story, data, at);
}

function withStep(story: RunStory, step: number, change: (begun: StepView) => StepView): RunStory {
  // A step whose process ended may begin again.
  const newest = story.steps.findLastIndex((each) => each.step === step);
  return { ...story, steps: story.steps.map((each, index) => (index === newest ? change(each) : each)) };
}

// The process that began the step ended with its last event.
function cutAt(step: StepView, lastAt: number | undefined): StepView {
  if (step.durationMs !== undefined || lastAt === undefined) return step;
  return { ...step, durationMs: Math.max(0, lastAt - step.startedAt), isCut: true };
}

function withCall(
  story: RunStory,
  event: CallEvent,
  facts: Pick<Call, 'status' | 'startedAt' | 'durationMs'>,
): RunStory {
  const { callId, tool, caller, parentId } = event;
  const errorCode = 'errorCode' in event ? event.errorCode : undefined;
  const attempts = 'attempts' in event ? event.attempts : undefined;
  const call: Call = {
    argsDigest: '',
    argsPreview: '',
    ...story.calls[callId],
    callId,
    tool,
    caller,
    ...facts,
    ...(parentId === undefined ? {} : { parentId }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(attempts === undefined ? {} : { attempts }),
  };
  return { ...story, calls: { ...story.calls, [callId]: call } };
}
