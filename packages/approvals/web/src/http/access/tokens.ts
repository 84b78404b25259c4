import { createHash, timingSafeEqual } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { Approver } from '@ravi/approval-kit';
import type { ApproverRole, ApproverToken } from '../../options.ts';

/** The approver that a token belongs to. */
export interface TokenHolder extends Approver {
  /** Distinguishes tokens; not a secret. */
  readonly id: string;
  readonly roles: readonly ApproverRole[];
}

/** A token that was checked when the handler was created. */
export interface KnownToken {
  readonly approver: TokenHolder;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  /** The token itself, if the configuration contains it. */
  readonly secret: string | undefined;
}

const minCharacters = 32;

/** Reads the configured tokens. @throws KernelError `E_CONFIG_INVALID` for a token that is weak, duplicate or missing */
export function readTokens(tokens: readonly ApproverToken[]): readonly KnownToken[] {
  if (tokens.length === 0) throw invalid('tokens must not be empty');
  const known = tokens.map(readToken);
  if (new Set(known.map(({ digest }) => digest.toString('hex'))).size < known.length) {
    throw invalid('two entries have the same token');
  }
  return known;
}

/** Returns the approver with this token. Takes the same time for every token, also for an unknown one. */
export function approverOf(presented: string, tokens: readonly KnownToken[]): TokenHolder | undefined {
  const digest = sha256(presented);
  let found: TokenHolder | undefined;
  for (const known of tokens) {
    if (timingSafeEqual(digest, known.digest)) found = known.approver;
  }
  return found;
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
  const mayDecide = roles.includes('approve');
  return { approver: { id: `token-${index}`, principal, roles, mayDecide }, digest, secret: token };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function invalid(problem: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', `Approvals over HTTP: ${problem}`);
}
