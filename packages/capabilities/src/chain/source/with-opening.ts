import type { PreparedScript } from './prepare-script.ts';

/** The script with `opening` in front of it, on its first line, so that every other place stays where it is. */
export function withOpening(script: PreparedScript, opening: string): PreparedScript {
  return {
    ...script,
    code: opening + script.code,
    toOriginal: ({ line, column }) =>
      script.toOriginal({ line, column: line === 1 ? Math.max(1, column - opening.length) : column }),
  };
}
