/** Parses the value of `--port`; 0 means any free port. Returns `undefined` if absent. @throws TypeError */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new TypeError(`--port must be a whole number from 0 to 65535, got "${text}"`);
}
