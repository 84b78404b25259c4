/** Fields of events that are another in each of them and say nothing of the answer: a number, and padding against listeners. */
export const passing: readonly string[] = ['sequence_number', 'obfuscation'];
