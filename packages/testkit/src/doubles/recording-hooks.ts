import type { HookEvent, HookObserver, HookPayloads } from '@ravi/kernel';

/** One event that was observed. */
export type RecordedHook = {
  [Event in HookEvent]: { readonly event: Event; readonly payload: HookPayloads[Event] };
}[HookEvent];

/** Anything that observers can be registered at. */
export interface HookSource {
  observe<Event extends HookEvent>(event: Event, observer: HookObserver<Event>): unknown;
}

/** Observers that remember every event they see. */
export interface RecordingHooks {
  /** Everything so far, in the order of arrival. */
  readonly recorded: readonly RecordedHook[];
  /** The names of the events so far, in the order of arrival. */
  readonly events: readonly HookEvent[];
  /** The payloads of one event, in the order of arrival. */
  payloads<Event extends HookEvent>(event: Event): readonly HookPayloads[Event][];
  /** An observer that records this event, for a source with another way to register. */
  observer<Event extends HookEvent>(event: Event): HookObserver<Event>;
  /** Registers for every event of the kernel. */
  attach(source: HookSource): void;
}

/** Naming each event as a key makes a new event of the kernel a type error here, so `attach` never misses one. */
const everyEvent: Readonly<Record<HookEvent, true>> = {
  'session-opened': true,
  'session-closed': true,
  'tool-start': true,
  'tool-end': true,
  'tool-denied': true,
  'tool-dropped': true,
  'approval-requested': true,
  'approval-decided': true,
  'budget-exceeded': true,
  'artifact-stored': true,
  'chain-start': true,
  'chain-end': true,
  'script-console': true,
  'run-start': true,
  'run-end': true,
  'step-start': true,
  'step-end': true,
  'llm-start': true,
  'llm-end': true,
  'guardrail-trip': true,
  handoff: true,
};

/** {@link RecordingHooks} that have seen nothing yet. */
export function createRecordingHooks(): RecordingHooks {
  const recorded: RecordedHook[] = [];

  function observer<Event extends HookEvent>(event: Event): HookObserver<Event> {
    return (payload) => void recorded.push({ event, payload } as RecordedHook);
  }

  return {
    recorded,
    get events() {
      return recorded.map((entry) => entry.event);
    },
    payloads<Event extends HookEvent>(event: Event): readonly HookPayloads[Event][] {
      return recorded.filter((entry) => entry.event === event).map((entry) => entry.payload as HookPayloads[Event]);
    },
    observer,
    attach(source) {
      for (const event of Object.keys(everyEvent) as HookEvent[]) source.observe(event, observer(event));
    },
  };
}
