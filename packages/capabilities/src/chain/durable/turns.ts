/** Something that a script has asked for and waits for. */
interface Asked {
  /** The answer as text, `v…` or `x…`; never rejects. */
  readonly text: Promise<string>;
  readonly tell: (answer: string) => void;
}

/** Tells a script its answers, one to a turn. */
export interface Turns {
  /** An answer that nothing else decides about: it is told before all others, in the order of asking. */
  tellSoon(text: Promise<string>): Promise<string>;
  /** An answer whose turn comes when {@link Turns.schedule} says so. */
  tellInTurn(place: number, text: Promise<string>): Promise<string>;
  /** Takes what {@link Turns.tellInTurn} waits for, so that it is told soon. */
  hasten(place: number): void;
  /** The answer for this place is the next after those that are scheduled; at `now` for the script. */
  schedule(place: number, now: number): void;
  /** The script has taken an answer; resolves together with the next one, since until then there is nothing to say. */
  confirm(): Promise<string>;
  /** Looks again whether there is something to do. */
  look(): void;
  /** The time as the script knows it. */
  readonly now: number;
  /** Places that were asked for and have no turn yet. */
  readonly open: ReadonlySet<number>;
}

/** What decides about turns. */
export interface TurnsOptions {
  readonly now: number;
  /** Turns of an earlier process, in their order. */
  readonly recorded: readonly { readonly place: number; readonly now: number }[];
  /** The script has been told everything that is on record, and waits; called once. */
  onCaughtUp(): void;
  /** What is on record next was not asked for, and the script waits. */
  onMissing(place: number): void;
  /** The script waits, and nothing is scheduled. */
  onIdle(): void;
}

/**
 * The script has to take the same turns whenever it is told the same answers in the same order. So it is told one
 * answer, then runs until it has nothing left to do, and only then is told the next.
 */
export function createTurns(options: TurnsOptions): Turns {
  const soon: Asked[] = [];
  const inTurn = new Map<number, Asked>();
  const order = [...options.recorded];
  const open = new Set<number>();
  let { now } = options;
  let hasCaughtUp = false;
  // `running`: the script; `waiting`: the script, for an answer; `telling`: the next answer is fetched.
  let state: 'running' | 'waiting' | 'telling' = 'running';
  let isTurnOver = false;
  let confirmation: (() => void) | undefined;

  /** What the script asks for in one turn arrives at once; after that it waits. */
  function endTurn(): void {
    if (isTurnOver || state === 'telling') return;
    isTurnOver = true;
    queueMicrotask(() => {
      isTurnOver = false;
      state = 'waiting';
      look();
    });
  }

  function look(): void {
    if (state !== 'waiting') return;
    const first = soon.shift();
    if (first !== undefined) return void tell(first);
    if (!hasCaughtUp && order.length === 0) {
      hasCaughtUp = true;
      options.onCaughtUp();
    }
    const [next] = order;
    if (next === undefined) return idle();
    const asked = inTurn.get(next.place);
    if (asked === undefined) return options.onMissing(next.place);
    order.shift();
    inTurn.delete(next.place);
    open.delete(next.place);
    now = Math.max(now, next.now);
    void tell(asked);
  }

  async function tell(asked: Asked): Promise<void> {
    state = 'telling';
    const text = await asked.text;
    state = 'running';
    confirmation?.();
    confirmation = undefined;
    asked.tell(`${now}\n${text}`);
  }

  function idle(): void {
    // Nothing will come any more: the guest finds out by itself.
    if (open.size === 0) confirmation?.();
    else options.onIdle();
  }

  return {
    open,
    get now() {
      return now;
    },
    tellSoon(text) {
      endTurn();
      return new Promise((tellIt) => void soon.push({ text, tell: tellIt }));
    },
    tellInTurn(place, text) {
      endTurn();
      open.add(place);
      return new Promise((tellIt) => void inTurn.set(place, { text, tell: tellIt }));
    },
    hasten(place) {
      const asked = inTurn.get(place);
      if (asked === undefined) return;
      inTurn.delete(place);
      open.delete(place);
      soon.push(asked);
    },
    schedule(place, at) {
      order.push({ place, now: at });
      look();
    },
    confirm() {
      confirmation?.();
      endTurn();
      return new Promise((resolve) => (confirmation = () => resolve('')));
    },
    look,
  };
}
