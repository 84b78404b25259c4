/** Oldest version of Node that a package runs on: major and minor number. */
export type OldestNode = readonly [major: number, minor: number];

/** Returns the oldest version that a range of `engines.node` names. @throws TypeError for a range without a version */
export function oldestNode(range: string): OldestNode {
  const versions = [...range.matchAll(/(\d+)(?:\.(\d+))?/g)].map(([, major, minor = 0]): OldestNode => [
    Number(major),
    Number(minor),
  ]);
  const [oldest] = versions.toSorted(
    ([left, leftMinor], [right, rightMinor]) => left - right || leftMinor - rightMinor,
  );
  if (oldest === undefined) throw new TypeError(`The range ${range} names no version of Node`);
  return oldest;
}

/**
 * Returns JavaScript that stops on a version of Node that is too old, with one sentence. It says what is needed before a
 * missing function fails somewhere else. Other platforms pass. A program prints the sentence and ends; a library throws.
 */
export function nodeCheck(name: string, [major, minor]: OldestNode, kind: 'program' | 'library'): string {
  const needed = minor === 0 ? `${major}` : `${major}.${minor}`;
  const fail =
    kind === 'program'
      ? 'console.error(message); process.exit(1);'
      : "throw Object.assign(new Error(message), { code: 'ERR_NODE_TOO_OLD' });";
  return `{
  const running = globalThis.process?.versions?.node;
  const [major, minor] = (running ?? '').split('.').map(Number);
  if (running !== undefined && (major < ${major} || (major === ${major} && minor < ${minor}))) {
    const message = \`${name} needs Node ${needed} or newer; this is \${running}.\`;
    ${fail}
  }
}`;
}
