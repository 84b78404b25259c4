/** Runs `work` when all earlier work under the same key is over, however that ended. */
export type TakeTurns = <Value>(key: string, work: () => Promise<Value>) => Promise<Value>;

/** Work under one key one after the other, under different keys at once. */
export function createTurns(): TakeTurns {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    const forget = (): void => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };
}
