/**
 * The text with everything escaped that a browser would act on or not show: text direction marks, invisible, control
 * and unassigned characters. A request may hold text that a model wrote to look like another.
 * @param {string} text
 */
export function printable(text) {
  return text.replaceAll(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, (character) =>
    Array.from(character, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
  );
}

/**
 * Milliseconds in whole seconds, for what counts down: `2 h 05 min`, `3 min 20 s`, `42 s`.
 * @param {number} milliseconds
 */
export function formatWait(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  if (hours > 0) return `${hours} h ${two(minutes % 60)} min`;
  return minutes > 0 ? `${minutes} min ${two(seconds % 60)} s` : `${seconds} s`;
}

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });

/**
 * A moment in the reader's own words: the time, with the day when it is another one.
 * @param {number} at
 */
export function formatMoment(at) {
  const date = new Date(at);
  return (date.toDateString() === new Date().toDateString() ? time : day).format(date);
}

/**
 * Text of the time that a request has left. The time of a parked one has passed, and it still waits for a decision.
 * @param {{ readonly expiresAt: number, readonly onExpiry?: string | undefined }} approval
 * @param {number} now
 */
export function timeLeftOf({ expiresAt, onExpiry }, now) {
  if (expiresAt > now) return `${formatWait(expiresAt - now)} left`;
  return onExpiry === 'park' ? `Parked for ${formatWait(now - expiresAt)}` : 'Expired';
}

/**
 * True if a request waits for a decision.
 * @param {{ readonly status: string }} approval
 */
export function waitsForDecision({ status }) {
  return status === 'pending' || status === 'parked';
}

/** @type {Readonly<Record<string, string>>} */
const outcomes = {
  approved: 'Approved',
  modified: 'Approved with changes',
  denied: 'Denied',
  skipped: 'Skipped',
};

/**
 * Returns the outcome of a request as a word.
 * @param {{ readonly status: string, readonly answer?: { readonly decision: string } | undefined }} approval
 */
export function outcomeOf({ answer, status }) {
  if (status === 'withdrawn') return 'Withdrawn';
  if (status === 'parked') return 'Parked';
  if (answer === undefined) return status === 'pending' ? 'Waiting' : 'Expired';
  return outcomes[answer.decision] ?? answer.decision;
}
