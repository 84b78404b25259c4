import type { HookEvent, HookEventType, HookObserver, RunEventOf } from '@ravi/kernel';

/** Anything that observers can be registered at. */
export interface HookSource {
  observe<Type extends HookEventType>(type: Type, observer: HookObserver<Type>): unknown;
}

/** Observers that remember every event they see. */
export interface RecordingHooks {
  /** Everything so far, in the order of arrival. */
  readonly recorded: readonly HookEvent[];
  /** The types of the events so far, in the order of arrival. */
  readonly types: readonly HookEventType[];
  /** The events of one type, in the order of arrival. */
  of<Type extends HookEventType>(type: Type): readonly RunEventOf<Type>[];
  /** An observer that records events, for a source with another way to register. */
  readonly observer: (event: HookEvent) => void;
  /** Registers for every event of the kernel. */
  attach(source: HookSource): void;
}

/** Naming each type as a key makes a new event of the kernel a type error here, so `attach` never misses one. */
const everyType: Readonly<Record<HookEventType, true>> = {
  'session-opened': true,
  'session-closed': true,
  'run-input': true,
  'completion-requested': true,
  'completion-ended': true,
  'tool-call': true,
  'tool-retry': true,
  'tool-result': true,
  'tool-denied': true,
  'tool-dropped': true,
  'approval-requested': true,
  'approval-decided': true,
  'budget-exceeded': true,
  artifact: true,
  'chain-start': true,
  'chain-end': true,
  console: true,
  'run-start': true,
  'run-paused': true,
  'run-end': true,
  'step-start': true,
  'step-end': true,
  'model-start': true,
  'model-end': true,
  'model-lent': true,
  'guardrail-trip': true,
  handoff: true,
};

/** {@link RecordingHooks} that have seen nothing yet. */
export function createRecordingHooks(): RecordingHooks {
  const recorded: HookEvent[] = [];
  const observer = (event: HookEvent): void => void recorded.push(event);

  return {
    recorded,
    get types() {
      return recorded.map(({ type }) => type);
    },
    of<Type extends HookEventType>(type: Type): readonly RunEventOf<Type>[] {
      return recorded.filter((event): event is HookEvent & RunEventOf<Type> => event.type === type);
    },
    observer,
    attach(source) {
      for (const type of Object.keys(everyType) as HookEventType[]) source.observe<HookEventType>(type, observer);
    },
  };
}
