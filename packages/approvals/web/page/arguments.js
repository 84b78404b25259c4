import { call } from './api.js';
import { readableJson } from './text.js';
import { part } from './dom.js';

/** @typedef {import('./api.js').ApprovalView} ApprovalView */

/**
 * Shows the arguments of a request; what is too long for the list comes on demand.
 * @param {HTMLElement} card
 * @param {ApprovalView} approval
 */
export function showArguments(card, approval) {
  const text = part(card, 'arguments');
  const button = part(card, 'whole');
  text.setAttribute('aria-label', `Arguments of ${approval.tool}`);
  text.textContent = approval.args === undefined ? '' : readableJson(approval.args);
  text.hidden = approval.args === undefined;
  button.hidden = approval.args !== undefined;
  button.textContent = `Show the arguments (${approval.argsLength.toLocaleString()} characters)`;
}

/**
 * All arguments of a request.
 * @param {ApprovalView} approval
 * @returns {Promise<NonNullable<ApprovalView['args']>>}
 */
export async function wholeArguments(approval) {
  if (approval.args !== undefined) return approval.args;
  const { approval: whole } = await call('GET', `/${encodeURIComponent(approval.id)}`);
  return whole.args;
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
