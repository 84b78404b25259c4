import type { Principal } from '@ravi/kernel';
import { refusal } from './read-message.ts';

/** Response that {@link Streams} counts. */
export interface ServedResponse {
  readonly response: Response;
  /** True if it has no end of its own: it carries notifications for as long as its client listens. */
  readonly isStanding: boolean;
}

/** Responses in progress, counted per principal, so that none can take the places of the others. */
export interface Streams {
  /** Produces a response and counts it from the reading of its request until its body has ended. */
  serve(principal: Principal, respond: () => Promise<ServedResponse>): Promise<Response>;
  /** Ends the standing responses. Their clients open them again. */
  endStanding(): void;
}

/** Creates the places of an endpoint: `max` for each principal. */
export function createStreams(max: number): Streams {
  const openOf = new Map<Principal, number>();
  const standing = new Set<() => void>();

  function take(principal: Principal): (() => void) | undefined {
    const open = openOf.get(principal) ?? 0;
    if (open >= max) return undefined;
    openOf.set(principal, open + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (openOf.get(principal) ?? 0) - 1;
      if (left > 0) openOf.set(principal, left);
      else openOf.delete(principal);
    };
  }

  return {
    async serve(principal, respond) {
      const giveBack = take(principal);
      if (giveBack === undefined) {
        const message = `The caller has ${max} requests and streams open, the most that it may have`;
        return refusal(429, -32_000, message, { 'retry-after': '1' });
      }
      try {
        const { response, isStanding } = await respond();
        return counted(response, giveBack, isStanding ? standing : undefined);
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    endStanding() {
      for (const end of standing) end();
    },
  };
}

/** Returns the response with a body that reports its end, and that can be ended. */
function counted(response: Response, onEnd: () => void, ends: Set<() => void> | undefined): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  const over = (): void => {
    ends?.delete(end);
    onEnd();
  };
  // A read that waits then finds the end.
  const end = (): void => {
    over();
    reader.cancel().catch(() => {});
  };
  ends?.add(end);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      } catch (error) {
        over();
        throw error;
      }
    },
    cancel(reason) {
      over();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
