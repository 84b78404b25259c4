import { ApiError, call, setServerTime } from './api.js';
import { createBoard } from './board.js';
import { find } from './dom.js';
import { createHistory } from './history.js';
import { listen, retryMs, showConnection } from './live.js';
import { waitsForDecision } from './text.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */

const sessionEnded = 'Your session has ended. Sign in again.';
const token = find(document, '#token', HTMLInputElement);
const tokenProblem = find(document, '#token-problem', HTMLElement);
const history = createHistory();
const board = createBoard({
  onDecided: (approval) => history.add(approval),
  onUnclear: ({ id }) => void look(id),
  onSignedOut: () => showSignIn(sessionEnded),
});
let stopListening = () => {};

/** Shows the current requests and follows their changes; asks for a token when there is no session. */
async function start() {
  stopListening();
  try {
    const { principal, roles } = await call('GET', '/session');
    const { approvals, sequence } = await waiting();
    board.replace(approvals);
    await history.reload();
    showPage(principal, roles);
    stopListening = listen(sequence, { onChange, onLost: () => void start() });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return showSignIn('');
    showConnection('lost');
    setTimeout(() => void start(), retryMs);
  }
}

/** Returns every request that waits for a decision, and the number of the last event before them. */
async function waiting() {
  /** @type {ApprovalView[]} */
  const approvals = [];
  let page = await call('GET', '?status=undecided&limit=200');
  const { sequence } = page;
  setServerTime(page.now);
  approvals.push(...page.items);
  while (page.next !== undefined) {
    page = await call('GET', `?status=undecided&limit=200&cursor=${encodeURIComponent(page.next)}`);
    approvals.push(...page.items);
  }
  return { approvals, sequence };
}

/** @param {ApprovalView} approval */
function onChange(approval) {
  if (waitsForDecision(approval)) return board.arrive(approval);
  board.settle(approval);
  history.add(approval);
}

/**
 * Reads the current state of a request.
 * @param {string} id
 */
async function look(id) {
  try {
    const { approval, now } = await call('GET', `/${encodeURIComponent(id)}`);
    setServerTime(now);
    if (!waitsForDecision(approval)) onChange(approval);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return showSignIn(sessionEnded);
    setTimeout(() => void look(id), retryMs);
  }
}

/**
 * @param {string} principal
 * @param {readonly string[]} roles
 */
function showPage(principal, roles) {
  find(document, '#who', HTMLElement).textContent = roles.includes('approve')
    ? `${principal}, for everybody`
    : principal;
  setSections(true);
}

/** @param {string} reason */
function showSignIn(reason) {
  stopListening();
  setSections(false);
  tokenProblem.textContent = reason;
  token.focus();
}

/** @param {boolean} isSignedIn */
function setSections(isSignedIn) {
  for (const id of ['waiting', 'history', 'identity']) find(document, `#${id}`, HTMLElement).hidden = !isSignedIn;
  find(document, '#sign-in', HTMLElement).hidden = isSignedIn;
  if (!isSignedIn) find(document, '#connection', HTMLElement).hidden = true;
}

async function signIn() {
  tokenProblem.textContent = '';
  try {
    await call('POST', '/session', { token: token.value });
    token.value = '';
    await start();
    find(document, '#waiting-heading', HTMLElement).focus();
  } catch (error) {
    tokenProblem.textContent = error instanceof Error ? error.message : String(error);
    token.focus();
  }
}

async function signOut() {
  try {
    await call('DELETE', '/session');
    board.clear();
    showSignIn('');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    showConnection('lost');
  }
}

find(document, '#sign-out', HTMLButtonElement).addEventListener('click', () => void signOut());
find(document, '#sign-in-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  void signIn();
});

await start();
