import { ApiError, call } from './api.js';
import { find, fromTemplate, part } from './dom.js';
import { showConnection } from './live.js';
import { formatMoment, outcomeOf, printable, waitsForDecision } from './text.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */

/** Decided requests, newest first, in pages. */
export function createHistory() {
  const list = find(document, '#past', HTMLElement);
  const older = find(document, '#older', HTMLButtonElement);
  /** @type {string | undefined} */
  let next;
  older.addEventListener('click', () => void loadOlder());

  async function loadOlder() {
    try {
      await load();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showConnection('lost');
    }
  }

  async function load() {
    const cursor = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`;
    const page = await call('GET', `?limit=50${cursor}`);
    for (const approval of page.items) if (!waitsForDecision(approval)) list.append(entryOf(approval));
    next = page.next;
    older.hidden = next === undefined;
    find(document, '#no-history', HTMLElement).hidden = list.childElementCount > 0;
  }

  return {
    async reload() {
      next = undefined;
      list.replaceChildren();
      await load();
    },
    /** @param {ApprovalView} approval */
    add(approval) {
      const entry = entryOf(approval);
      const known = list.querySelector(`[data-id="${CSS.escape(approval.id)}"]`);
      if (known === null) list.prepend(entry);
      else known.replaceWith(entry);
      find(document, '#no-history', HTMLElement).hidden = true;
    },
  };
}

/** @param {ApprovalView} approval */
function entryOf(approval) {
  const { id, tool, answer, expiresAt } = approval;
  const entry = fromTemplate('past-template');
  const at = answer?.decidedAt ?? expiresAt;
  entry.dataset['id'] = id;
  part(entry, 'outcome').textContent = outcomeOf(approval);
  part(entry, 'outcome').dataset['outcome'] =
    approval.status === 'withdrawn' ? 'withdrawn' : (answer?.decision ?? 'expired');
  part(entry, 'tool').textContent = printable(tool);
  part(entry, 'detail').textContent = printable(detailOf(approval));
  part(entry, 'when').textContent = formatMoment(at);
  part(entry, 'when').setAttribute('datetime', new Date(at).toISOString());
  return entry;
}

/** @param {ApprovalView} approval */
function detailOf({ summary, principal, answer }) {
  const details = summary === undefined ? [] : [summary];
  details.push(`for ${principal}`);
  if (answer?.approver !== undefined) details.push(`by ${answer.approver}`);
  if (answer?.scope === 'run') details.push('for the whole run');
  if (answer?.changedArguments !== undefined) details.push(`changed ${answer.changedArguments.join(', ')}`);
  if (answer?.reason !== undefined) details.push(`“${answer.reason}”`);
  return details.join(' · ');
}
