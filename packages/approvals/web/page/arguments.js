import { call } from './api.js';
import { part } from './dom.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */
/** @typedef {NonNullable<ApprovalView['display']>} Display */

const firstRows = 200;
// A deep tree must not leave the page; the depth is written in front of its rows.
const maxIndent = 16;

/**
 * Shows the arguments of a request. The rest of long ones, and what is too long for the list, comes on demand. Returns true
 * once every row is on the page.
 * @param {HTMLElement} card
 * @param {ApprovalView} approval
 * @param {{ isWhole: boolean }} options
 */
export function showArguments(card, approval, { isWhole }) {
  const { display } = approval;
  const text = part(card, 'arguments');
  const button = part(card, 'whole');
  text.setAttribute('aria-label', `Arguments of ${approval.tool} that will run`);
  text.hidden = display === undefined;
  const rows = display?.rows ?? [];
  const shown = isWhole ? rows : rows.slice(0, firstRows);
  text.replaceChildren(...shown.map((row) => rowElement(row, approval.id)));
  const isAll = display !== undefined && shown.length === rows.length;
  button.hidden = isAll;
  button.textContent =
    display === undefined
      ? `Show the arguments (${approval.argsLength.toLocaleString()} characters) before you approve`
      : `Show all ${rows.length.toLocaleString()} rows before you approve`;
  return isAll;
}

/**
 * @param {Display['rows'][number]} row
 * @param {string} id
 */
function rowElement({ depth, segments }, id) {
  const row = document.createElement('div');
  row.className = 'row';
  row.style.paddingInlineStart = `${Math.min(depth, maxIndent)}em`;
  if (depth > maxIndent) row.dataset['depth'] = String(depth);
  row.append(...segments.map((segment) => segmentNode(segment, id)));
  return row;
}

/**
 * @param {Display['rows'][number]['segments'][number]} segment
 * @param {string} id
 */
function segmentNode({ text, mark, note }, id) {
  if (mark === undefined) return document.createTextNode(text);
  const marked = document.createElement('mark');
  marked.dataset['mark'] = mark;
  marked.title = note ?? mark;
  marked.textContent = text;
  if (mark !== 'artifact') return marked;
  const link = document.createElement('a');
  link.href = `v1/approvals/${encodeURIComponent(id)}/artifacts/${encodeURIComponent(JSON.parse(text))}`;
  link.download = '';
  link.append(marked);
  return link;
}

/**
 * A request with all its arguments.
 * @param {ApprovalView} approval
 * @returns {Promise<ApprovalView>}
 */
export async function wholeApproval(approval) {
  if (approval.args !== undefined && approval.display !== undefined) return approval;
  const { approval: whole } = await call('GET', `/${encodeURIComponent(approval.id)}`);
  return whole;
}

/**
 * Parses typed text as arguments, or returns why it is invalid.
 * @param {string} text
 * @returns {{ args: object } | { problem: string }}
 */
export function parseArguments(text) {
  try {
    const args = JSON.parse(text);
    const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
    return isObject ? { args } : { problem: 'Arguments are a JSON object: { "name": value }' };
  } catch (error) {
    return { problem: `This is not JSON yet: ${error instanceof Error ? error.message : error}` };
  }
}
