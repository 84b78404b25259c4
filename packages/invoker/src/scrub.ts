/** Removes host details from a message that a script or a model may read. */
export type Scrubber = (message: string) => string;

const stackFrames = /\n[^\S\n]+at .+/g;
const fileUrls = /file:\/\/\/[^\s'")]+/g;

/**
 * Creates a {@link Scrubber} that removes stack frames, `file:` URLs and the given folders of the host, and then applies
 * `redact`. Longer folders are replaced first, so that no part of a nested folder remains.
 */
export function createScrubber(hostPaths: readonly string[], redact: Scrubber = (message) => message): Scrubber {
  const folders = hostPaths.filter((path) => path.length > 1).toSorted((left, right) => right.length - left.length);
  return (message) => {
    let clean = message.replaceAll(stackFrames, '').replaceAll(fileUrls, '<file>');
    for (const folder of folders) clean = clean.replaceAll(folder, '<host>');
    return redact(clean);
  };
}
