/** A request of a script that waits for its reply. */
interface Request {
  /** The reply as text, `v…` or `x…`; never rejects. */
  readonly text: Promise<string>;
  readonly send: (reply: string) => void;
}

/** Sends a script its replies, one per turn. */
export interface Turns {
  /** Sends a reply that depends on nothing else: before all others, in the order of the requests. */
  replySoon(text: Promise<string>): Promise<string>;
  /** Sends a reply when {@link Turns.schedule} gives it its turn. */
  replyInTurn(place: number, text: Promise<string>): Promise<string>;
  /** Sends a reply of {@link Turns.replyInTurn} soon instead. */
  hasten(place: number): void;
  /** Schedules the reply for this place after those already scheduled; the script sees it at `now`. */
  schedule(place: number, now: number): void;
  /** Sends no reply until `record` is written. */
  hold(record: Promise<void>): void;
  /** Called when the script has made every request of its turn and waits. */
  endTurn(): void;
  /** Checks again whether a reply can be sent. */
  look(): void;
  /** The time as the script sees it. */
  readonly now: number;
  /** Places that were requested and have no turn yet. */
  readonly open: ReadonlySet<number>;
}

/** Options of {@link createTurns}. */
export interface TurnsOptions {
  readonly now: number;
  /** Turns of earlier processes, in their order. */
  readonly recorded: readonly { readonly place: number; readonly now: number }[];
  /** Called once, when the script has received every recorded reply and waits. */
  onCaughtUp(): void;
  /** Called when the script waits and has not requested the next recorded reply. */
  onMissing(place: number): void;
  /** Called when the script waits and nothing is scheduled. */
  onIdle(): void;
}

/**
 * Creates the turns of one script. A script must take the same turns whenever it receives the same replies in the same
 * order. So it receives one reply, runs until it has nothing left to do, and only then receives the next.
 */
export function createTurns(options: TurnsOptions): Turns {
  const soon: Request[] = [];
  const inTurn = new Map<number, Request>();
  const order = [...options.recorded];
  const open = new Set<number>();
  let { now } = options;
  let hasCaughtUp = false;
  let records = 0;
  // `running`: the script runs; `waiting`: the script waits for a reply; `sending`: the next reply is fetched.
  let state: 'running' | 'waiting' | 'sending' = 'running';

  function look(): void {
    if (state !== 'waiting' || records > 0) return;
    const first = soon.shift();
    if (first !== undefined) return void send(first);
    if (!hasCaughtUp && order.length === 0) {
      hasCaughtUp = true;
      options.onCaughtUp();
    }
    const [next] = order;
    if (next === undefined) return idle();
    const request = inTurn.get(next.place);
    if (request === undefined) return options.onMissing(next.place);
    order.shift();
    inTurn.delete(next.place);
    open.delete(next.place);
    now = Math.max(now, next.now);
    void send(request);
  }

  async function send(request: Request): Promise<void> {
    state = 'sending';
    const text = await request.text;
    state = 'running';
    request.send(`${now}\n${text}`);
  }

  function idle(): void {
    // Otherwise no reply will come, which the guest detects on its own.
    if (open.size > 0) options.onIdle();
  }

  return {
    open,
    get now() {
      return now;
    },
    replySoon(text) {
      return new Promise((send) => void soon.push({ text, send }));
    },
    replyInTurn(place, text) {
      open.add(place);
      return new Promise((send) => void inTurn.set(place, { text, send }));
    },
    hasten(place) {
      const request = inTurn.get(place);
      if (request === undefined) return;
      inTurn.delete(place);
      open.delete(place);
      soon.push(request);
    },
    schedule(place, at) {
      order.push({ place, now: at });
      look();
    },
    hold(record) {
      records++;
      record.then(
        () => {
          records--;
          look();
        },
        // The run ends without it.
        () => {},
      );
    },
    endTurn() {
      if (state === 'sending') return;
      state = 'waiting';
      look();
    },
    look,
  };
}
