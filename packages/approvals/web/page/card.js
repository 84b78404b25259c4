import { ApiError, call, serverTime } from './api.js';
import { parseArguments, showArguments, wholeApproval } from './arguments.js';
import { find, fromTemplate, part } from './dom.js';
import { connectForm, describeField } from './forms.js';
import { showInput } from './input.js';
import { formatMoment, outcomeOf, printable, timeLeftOf } from './text.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */

/**
 * One request that waits: what is asked, and the ways to decide. A decision counts once the server has confirmed it.
 * @typedef {object} Card
 * @property {HTMLElement} element
 * @property {ApprovalView} approval
 * @property {boolean} isSettled True if the card only shows the decision of another approver.
 * @property {() => void} tick Shows the time that is left.
 * @property {(approval: ApprovalView) => boolean} settle Returns true if the card stays, to show the decision of another approver.
 */

/**
 * @param {ApprovalView} approval
 * @param {{ onDecided: (approval: ApprovalView) => void, onSettled: () => void, onDismissed: (approval: ApprovalView) => void, onUnclear: (approval: ApprovalView) => void, onSignedOut: () => void }} events
 * @returns {Card}
 */
export function createCard(approval, events) {
  const element = fromTemplate('card-template');
  const problem = part(element, 'problem');
  const reason = find(element, '[data-part="reason"]', HTMLTextAreaElement);
  const json = find(element, '[data-part="json"]', HTMLTextAreaElement);
  let settled = approval;
  let isSending = false;
  let isOverdue = false;
  let isConfirming = false;

  let isAllShown = describe(element, approval);
  const readInput = showInput(element, approval);
  // A person who gives input does not decide about the arguments.
  if (readInput !== undefined) isAllShown = true;
  setApprovable();
  describeField(reason, { label: part(element, 'reason-label') });
  describeField(json, {
    label: part(element, 'json-label'),
    descriptions: [part(element, 'json-hint'), part(element, 'json-problem')],
  });
  element.addEventListener('click', (event) => {
    const name = event.target instanceof HTMLElement ? event.target.dataset['part'] : undefined;
    if (name === 'approve') approve();
    if (name === 'approve-run' && isAllShown) void decide({ decision: 'approved', scope: 'run' });
    if (name === 'whole') void attempt(showWhole);
    if (name === 'dismiss') events.onDismissed(settled);
  });
  connectForm(element, {
    form: 'deny-form',
    trigger: 'deny',
    prepare: () => true,
    submit: () => void decide({ decision: 'denied', reason: reason.value }),
  });
  connectForm(element, { form: 'edit-form', trigger: 'edit', prepare: () => attempt(fillIn), submit: decideEdited });
  json.addEventListener('input', () => showJsonProblem(''));

  // Not before every row is on the page, and a critical call not with one press.
  function approve() {
    if (!isAllShown) return;
    if (readInput !== undefined) {
      const answer = readInput();
      return answer === undefined ? undefined : void decide({ decision: 'approved', ...answer });
    }
    if (approval.risk !== 'critical' || isConfirming) return void decide({ decision: 'approved' });
    isConfirming = true;
    part(element, 'approve').textContent = 'Yes, run this critical call';
  }

  function setApprovable() {
    for (const name of ['approve', 'approve-run'])
      part(element, name).setAttribute('aria-disabled', String(!isAllShown));
  }

  /** @param {object} decision */
  async function decide(decision) {
    if (isSending) return;
    setSending(true);
    problem.textContent = '';
    try {
      const answer = await call('POST', `/${encodeURIComponent(approval.id)}/decision`, decision);
      events.onDecided(answer.approval);
    } catch (error) {
      setSending(false);
      explain(error);
    }
  }

  /**
   * Returns true if the work succeeded; otherwise the card shows the error.
   * @param {() => Promise<void>} work
   */
  async function attempt(work) {
    problem.textContent = '';
    try {
      await work();
      return true;
    } catch (error) {
      explain(error);
      return false;
    }
  }

  function decideEdited() {
    const parsed = parseArguments(json.value);
    if ('args' in parsed) return void decide({ decision: 'modified', modifiedArgs: parsed.args });
    showJsonProblem(parsed.problem);
    json.focus();
  }

  /** @param {unknown} error */
  function explain(error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.approval !== undefined) return tell(error.approval, error.message);
    if (error.status === 401) return events.onSignedOut();
    problem.textContent = error.status === 0 ? `${error.message}. Nothing is confirmed; try again.` : error.message;
  }

  /** @param {boolean} sending */
  function setSending(sending) {
    isSending = sending;
    element.setAttribute('aria-busy', String(sending));
    for (const button of element.querySelectorAll('button')) button.setAttribute('aria-disabled', String(sending));
    if (!sending) setApprovable();
  }

  /**
   * @param {ApprovalView} now
   * @param {string} text
   */
  function tell(now, text) {
    settled = now;
    for (const name of ['actions', 'deny-form', 'edit-form', 'time']) part(element, name).hidden = true;
    part(element, 'notice-text').textContent = printable(text);
    part(element, 'notice').hidden = false;
    part(element, 'dismiss').focus();
    events.onSettled();
  }

  async function fillIn() {
    if (json.value === '') json.value = JSON.stringify((await wholeApproval(approval)).args, null, 2);
  }

  async function showWhole() {
    isAllShown = showArguments(element, await wholeApproval(approval), { isWhole: true });
    setApprovable();
    part(element, 'arguments').focus();
  }

  /** @param {string} text */
  function showJsonProblem(text) {
    part(element, 'json-problem').textContent = text;
    json.setAttribute('aria-invalid', String(text !== ''));
  }

  return {
    element,
    approval,
    get isSettled() {
      return settled !== approval;
    },
    tick() {
      const leftMs = approval.expiresAt - serverTime();
      const time = part(element, 'time');
      time.textContent = timeLeftOf(approval, serverTime());
      time.classList.toggle('urgent', leftMs < 15_000);
      if (leftMs > 0 || approval.onExpiry === 'park' || isOverdue || settled !== approval) return;
      isOverdue = true;
      events.onUnclear(approval);
    },
    settle(now) {
      if (isSending || settled !== approval) return true;
      if (!element.contains(document.activeElement)) return false;
      tell(now, noticeOf(now));
      return true;
    },
  };
}

/** @param {ApprovalView} approval */
function noticeOf(approval) {
  const { answer } = approval;
  if (approval.status === 'withdrawn') return 'This request was withdrawn, because its call has ended.';
  if (answer === undefined) return 'This request has expired.';
  const text = `${answer.approver ?? 'Another approver'} has decided: ${outcomeOf(approval).toLowerCase()}`;
  return answer.reason === undefined ? `${text}.` : `${text}. ${answer.reason}`;
}

/**
 * Returns true if all arguments are shown.
 * @param {HTMLElement} card
 * @param {ApprovalView} approval
 */
function describe(card, approval) {
  const { tool, risk, summary, description, principal, runId, requestedAt } = approval;
  card.dataset['id'] = approval.id;
  part(card, 'tool').textContent = printable(tool);
  part(card, 'risk').textContent = risk === 'safe' ? 'safe' : `${risk} risk`;
  part(card, 'risk').dataset['risk'] = risk;
  part(card, 'summary').textContent = summary === undefined ? '' : printable(summary);
  part(card, 'summary').hidden = summary === undefined;
  part(card, 'description').textContent = printable(description);
  // A set of calls is decided as it is.
  const isSet = tool === 'approve_calls';
  part(card, 'approve-run').hidden = risk === 'critical' || isSet;
  part(card, 'edit').hidden = isSet;
  for (const name of ['approve', 'approve-run', 'edit', 'deny']) {
    part(card, name).setAttribute('aria-description', `${tool}, ${summary ?? description}`);
  }
  const facts = { For: principal, Run: runId, Asked: formatMoment(requestedAt) };
  for (const [name, value] of Object.entries(facts)) {
    const term = document.createElement('dt');
    const detail = document.createElement('dd');
    term.textContent = name;
    detail.textContent = printable(value);
    part(card, 'facts').append(term, detail);
  }
  return showArguments(card, approval, { isWhole: false });
}
