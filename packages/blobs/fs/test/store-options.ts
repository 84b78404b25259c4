import type { StoreOptions } from '@ravi/kernel';

/** Store options for tests about something else. */
export const options: StoreOptions = {
  mediaType: 'application/octet-stream',
  scope: { principal: 'user:ada', sessionId: 'session-1' },
};
