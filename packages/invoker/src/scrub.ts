/** Makes a message fit for a script or a model. */
export type Scrubber = (message: string) => string;

const stackFrames = /\n[^\S\n]+at .+/g;
const fileUrls = /file:\/\/\/[^\s'")]+/g;

/**
 * Removes what belongs to the host from a message: stack frames, `file:` URLs and the given folders of the host.
 * Longer folders are replaced first, so that one inside another leaves nothing behind.
 */
export function createScrubber(hostPaths: readonly string[]): Scrubber {
  const folders = hostPaths.filter((path) => path.length > 1).toSorted((left, right) => right.length - left.length);
  return (message) => {
    let clean = message.replaceAll(stackFrames, '').replaceAll(fileUrls, '<file>');
    for (const folder of folders) clean = clean.replaceAll(folder, '<host>');
    return clean;
  };
}
