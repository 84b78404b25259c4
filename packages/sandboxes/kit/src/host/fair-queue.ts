/** Queue that serves keys in turn, and the items of a key in the order of arrival. */
export interface FairQueue<Item> {
  readonly size: number;
  add(key: string, item: Item): void;
  remove(key: string, item: Item): void;
  /**
   * Offers the oldest item of each key, starting with the key that has waited longest for its turn. An item that `serve`
   * accepts is removed, and its key moves to the end.
   */
  offer(serve: (key: string, item: Item) => boolean): void;
  /** Removes and returns all items. */
  drain(): readonly Item[];
}

/** Creates an empty queue. */
export function createFairQueue<Item>(): FairQueue<Item> {
  const lanes = new Map<string, Item[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(key, item) {
      size++;
      const lane = lanes.get(key);
      if (lane === undefined) lanes.set(key, [item]);
      else lane.push(item);
    },
    remove(key, item) {
      const lane = lanes.get(key);
      const index = lane?.indexOf(item) ?? -1;
      if (lane === undefined || index === -1) return;
      lane.splice(index, 1);
      size--;
      if (lane.length === 0) lanes.delete(key);
    },
    offer(serve) {
      for (let served = true; served;) {
        served = false;
        // A snapshot, because a served key is added again at the end of the map.
        for (const [key, lane] of Array.from(lanes)) {
          if (!serve(key, lane[0] as Item)) continue;
          lane.shift();
          size--;
          lanes.delete(key);
          if (lane.length > 0) lanes.set(key, lane);
          served = true;
        }
      }
    },
    drain() {
      const items = [...lanes.values()].flat();
      lanes.clear();
      size = 0;
      return items;
    },
  };
}
