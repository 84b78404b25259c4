import type { StoreOptions } from '@ravi/kernel';

/** Options of a store that is about something else. */
export const options: StoreOptions = {
  mediaType: 'application/octet-stream',
  scope: { principal: 'user:ada', sessionId: 'session-1' },
};
