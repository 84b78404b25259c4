import { createHmac, timingSafeEqual } from 'node:crypto';

/** Subject of a ticket: the events of one run, read from one process. */
export interface RelaySubject {
  readonly processId: string;
  readonly runId: string;
}

/** Milliseconds for which a ticket is valid, and by which the clocks of two servers may differ. */
const validMs = 60_000;

/** Issues and checks the tickets with which servers of one installation read the events of runs from each other. */
export interface RelayTickets {
  issue(subject: RelaySubject): string;
  isValid(ticket: string, subject: RelaySubject): boolean;
  /** Returns the proof that the server with the ticket belongs to the installation. */
  prove(ticket: string): string;
  isProof(proof: string, ticket: string): boolean;
}

/**
 * Creates the tickets of an installation: `<time>.<HMAC-SHA-256 in hex>`, and the proofs with which a server responds, an HMAC of the
 * ticket. No access token of a client leaves its server, and a program that listens on the address of a dead server can neither use a ticket
 * nor give a proof.
 * @param key of the installation, 32 bytes
 * @param now time in milliseconds since the Unix epoch
 */
export function createRelayTickets(key: Uint8Array, now: () => number): RelayTickets {
  const hmac = (fields: readonly (number | string)[]): Buffer =>
    createHmac('sha256', key).update(JSON.stringify(fields)).digest();
  const sign = (issuedAt: number, { processId, runId }: RelaySubject): Buffer =>
    hmac(['event-relay', processId, runId, issuedAt]);
  const proofOf = (ticket: string): Buffer => hmac(['event-relay-proof', ticket]);
  return {
    issue(subject) {
      const issuedAt = now();
      return `${issuedAt}.${sign(issuedAt, subject).toString('hex')}`;
    },
    isValid(ticket, subject) {
      const [, time = '', signature = ''] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(ticket) ?? [];
      if (signature === '' || Math.abs(now() - Number(time)) > validMs) return false;
      return timingSafeEqual(Buffer.from(signature, 'hex'), sign(Number(time), subject));
    },
    prove: (ticket) => proofOf(ticket).toString('hex'),
    isProof: (proof, ticket) =>
      /^[0-9a-f]{64}$/.test(proof) && timingSafeEqual(Buffer.from(proof, 'hex'), proofOf(ticket)),
  };
}
