/** The port that a flag names, 0 for any free one; `undefined` when the flag is absent. @throws TypeError for anything else */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new TypeError(`--port must be a whole number from 0 to 65535, got "${text}"`);
}
