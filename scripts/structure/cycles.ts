/** A directed graph: for each node the nodes it points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the strongly connected components of more than one node, largest first (Tarjan 1972, without recursion). */
export function cycles(graph: Graph): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];

  for (const start of graph.keys()) {
    if (index.has(start)) continue;
    const work = [enter(start)];
    while (work.length > 0) {
      const frame = work[work.length - 1] as Frame;
      const { value: next, done } = frame.edges.next();
      if (done !== true) {
        if (!index.has(next)) work.push(enter(next));
        else if (isOpen.has(next)) lower(frame.node, index.get(next) ?? 0);
        continue;
      }
      work.pop();
      const parent = work[work.length - 1];
      if (parent !== undefined) lower(parent.node, low.get(frame.node) ?? 0);
      if (low.get(frame.node) === index.get(frame.node)) close(frame.node);
    }
  }
  return found.toSorted((left, right) => right.length - left.length);

  function enter(node: string): Frame {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, edges: (graph.get(node) ?? new Set()).values() };
  }

  function lower(node: string, to: number): void {
    low.set(node, Math.min(low.get(node) ?? to, to));
  }

  function close(node: string): void {
    const members = open.splice(open.indexOf(node));
    for (const member of members) isOpen.delete(member);
    if (members.length > 1) found.push(members.toSorted());
  }
}

interface Frame {
  readonly node: string;
  readonly edges: Iterator<string, undefined>;
}
