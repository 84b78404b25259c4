/** @typedef {import('@ravi/approval-kit').ApprovalView} ApprovalView */

/** A refusal of the server, or that it was not reached (`status` 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {ApprovalView} [approval]
   */
  constructor(status, message, approval) {
    super(message);
    this.status = status;
    this.approval = approval;
  }
}

/**
 * The answer of the API. Paths are relative to the page, so that any prefix will do.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`v1/approvals${path}`, { method, ...content }).catch(() => {
    throw new ApiError(0, 'The server cannot be reached');
  });
  if (response.status === 204) return undefined;
  const answer = await response.json().catch(() => {
    throw new ApiError(response.status, 'The answer cannot be read');
  });
  if (response.ok) return answer;
  throw new ApiError(response.status, answer.error?.message ?? `The server says ${response.status}`, answer.approval);
}

let offsetMs = 0;

/**
 * Learns what time it is for the server, whose clock decides.
 * @param {number} now
 */
export function setServerTime(now) {
  offsetMs = now - Date.now();
}

export function serverTime() {
  return Date.now() + offsetMs;
}
