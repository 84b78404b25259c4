import { createHash, timingSafeEqual } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { Principal } from '@ravi/kernel';
import type { ApproverRole, ApproverToken } from '../options.ts';

/** Somebody who may decide. */
export interface Approver {
  /** Tells tokens apart and is no secret. */
  readonly id: string;
  readonly principal: Principal;
  readonly roles: readonly ApproverRole[];
}

/** A token that was checked when the handler was made. */
export interface KnownToken {
  readonly approver: Approver;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  /** The token itself, when the configuration has it. */
  readonly secret: string | undefined;
}

const minCharacters = 32;

/** @throws KernelError `E_CONFIG_INVALID` for a token that is weak, given twice or not given at all */
export function readTokens(tokens: readonly ApproverToken[]): readonly KnownToken[] {
  if (tokens.length === 0) throw invalid('there must be at least one token');
  const known = tokens.map(readToken);
  if (new Set(known.map(({ digest }) => digest.toString('hex'))).size < known.length) {
    throw invalid('two entries have the same token');
  }
  return known;
}

/** Whose token it is. Takes the same time whichever token it is, and for a wrong one. */
export function approverOf(presented: string, tokens: readonly KnownToken[]): Approver | undefined {
  const digest = sha256(presented);
  let found: Approver | undefined;
  for (const known of tokens) {
    if (timingSafeEqual(digest, known.digest)) found = known.approver;
  }
  return found;
}

/** Whether the approver sees and decides requests of this principal. */
export function mayDecideFor(approver: Approver, principal: Principal): boolean {
  return approver.roles.includes('approve') || approver.principal === principal;
}

function readToken({ token, tokenSha256, principal, roles = [] }: ApproverToken, index: number): KnownToken {
  const place = `tokens[${index}]`;
  if ((token === undefined) === (tokenSha256 === undefined)) {
    throw invalid(`${place} needs exactly one of "token" and "tokenSha256"`);
  }
  if (token !== undefined && token.length < minCharacters) {
    throw invalid(`${place}.token has ${token.length} characters, at least ${minCharacters} are needed`);
  }
  if (tokenSha256 !== undefined && !/^[0-9a-f]{64}$/.test(tokenSha256)) {
    throw invalid(`${place}.tokenSha256 must be 64 lower-case hexadecimal digits`);
  }
  const digest = token === undefined ? Buffer.from(tokenSha256 ?? '', 'hex') : sha256(token);
  return { approver: { id: `token-${index}`, principal, roles }, digest, secret: token };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function invalid(problem: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', `Approvals over HTTP: ${problem}`);
}
