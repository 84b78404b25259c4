import { announce, find } from './dom.js';
import { createCard } from './card.js';
import { outcomeOf } from './text.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */
/** @typedef {Parameters<typeof createCard>[1]} CardEvents */

/**
 * The pending requests, oldest first.
 * @param {Omit<CardEvents, 'onSettled' | 'onDismissed'>} events
 */
export function createBoard(events) {
  const list = find(document, '#cards', HTMLElement);
  const heading = find(document, '#waiting-heading', HTMLElement);
  /** @type {Map<string, import('./card.js').Card>} */
  const cards = new Map();
  setInterval(() => cards.forEach((card) => card.tick()), 1000);

  /** @param {ApprovalView} approval */
  function add(approval) {
    if (cards.has(approval.id)) return;
    const card = createCard(approval, {
      ...events,
      onDecided(decided) {
        remove(decided.id);
        announce(`${outcomeOf(decided)}: ${decided.tool}`);
        events.onDecided(decided);
      },
      onSettled: count,
      onDismissed: ({ id }) => remove(id),
    });
    cards.set(approval.id, card);
    card.tick();
    const later = [...cards.values()].find((other) => other.approval.requestedAt > approval.requestedAt);
    list.insertBefore(card.element, later?.element ?? null);
    count();
  }

  /** @param {string} id */
  function remove(id) {
    const card = cards.get(id);
    if (card === undefined) return;
    const hadFocus = card.element.contains(document.activeElement);
    const neighbour = card.element.nextElementSibling ?? card.element.previousElementSibling;
    cards.delete(id);
    card.element.remove();
    count();
    if (hadFocus) (neighbour?.querySelector('h3') ?? heading).focus();
  }

  function count() {
    const open = [...cards.values()].filter((card) => !card.isSettled).length;
    find(document, '#count', HTMLElement).textContent = open === 0 ? '' : String(open);
    find(document, '#nothing', HTMLElement).hidden = cards.size > 0;
    document.title = open === 0 ? 'Approvals' : `(${open}) Approvals`;
  }

  /** @param {ApprovalView} approval */
  function settle(approval) {
    const card = cards.get(approval.id);
    if (card === undefined || card.settle(approval)) return;
    remove(approval.id);
    announce(`${outcomeOf(approval)} by ${approval.answer?.approver ?? 'expiry'}: ${approval.tool}`);
  }

  return {
    settle,
    /** @param {ApprovalView} approval */
    arrive(approval) {
      if (cards.has(approval.id)) return;
      add(approval);
      announce(`New request: ${approval.tool}, risk ${approval.risk}`);
    },
    clear() {
      for (const id of cards.keys()) remove(id);
    },
    /**
     * Shows what the server has; of cards that it does not have any more it is asked what became of them.
     * @param {readonly ApprovalView[]} approvals Newest first.
     */
    replace(approvals) {
      const ids = new Set(approvals.map(({ id }) => id));
      for (const { approval } of cards.values()) if (!ids.has(approval.id)) events.onUnclear(approval);
      approvals.toReversed().forEach(add);
      count();
    },
  };
}
