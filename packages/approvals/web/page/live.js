import { setServerTime } from './api.js';
import { find } from './dom.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */

/** Pause before a new attempt to reach the server. */
export const retryMs = 2000;

/**
 * Listens to the events after one. The browser reconnects automatically and names the last event it has read; when the
 * server refuses that, `onLost` starts over.
 * @param {number} sequence
 * @param {{ onChange: (approval: ApprovalView) => void, onLost: () => void }} events
 * @returns {() => void} Stops listening.
 */
export function listen(sequence, { onChange, onLost }) {
  const source = new EventSource(`v1/approvals/events?after=${sequence}`);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  showConnection('connecting');
  source.addEventListener('open', () => showConnection('live'));
  source.addEventListener('approval', ({ data }) => {
    const { approval, now } = JSON.parse(data);
    setServerTime(now);
    if (approval !== undefined) onChange(approval);
  });
  source.addEventListener('reset', onLost);
  source.addEventListener('error', () => {
    showConnection('lost');
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(onLost, retryMs);
  });
  return () => {
    clearTimeout(retry);
    source.close();
  };
}

/** @type {Readonly<Record<string, string>>} */
const words = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost, trying again' };

/** @param {'connecting' | 'live' | 'lost'} state */
export function showConnection(state) {
  const connection = find(document, '#connection', HTMLElement);
  connection.dataset['state'] = state;
  connection.textContent = words[state] ?? '';
  connection.hidden = false;
}
