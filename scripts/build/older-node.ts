// Replacements of the globals that packages use and Node 20 does not have. The build puts them into the published files
// in place of the globals; the sources, which run on Node 24, use the globals themselves.

/** Replaces `Promise.withResolvers`. */
export function withResolvers<Value>(): PromiseWithResolvers<Value> {
  const parts: Partial<PromiseWithResolvers<Value>> = {};
  const promise = new Promise<Value>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return { ...(parts as PromiseWithResolvers<Value>), promise };
}

/** Replaces `Map.groupBy`. */
export function groupAsMap<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item, index: number) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Replaces `Object.groupBy`. */
export function groupAsObject<Key extends PropertyKey, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item, index: number) => Key,
): Partial<Record<Key, Item[]>> {
  const groups = Object.create(null) as Partial<Record<Key, Item[]>>;
  for (const [key, group] of groupAsMap(items, keyOf)) groups[key] = group;
  return groups;
}
