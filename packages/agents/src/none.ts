/** The empty list that everybody shares: most runs and calls have nothing of most kinds. */
export const none: readonly never[] = Object.freeze([]);
