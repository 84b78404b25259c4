/** The empty list that everybody shares: most runs and calls have nothing of most kinds. */
export const emptyArray: readonly never[] = Object.freeze([]);
