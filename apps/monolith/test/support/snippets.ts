import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { approve, send } from './run-requests.ts';
import type { Body } from './run-requests.ts';

/** Script to save as a snippet, which runs once to be saved. */
export interface SavedScript {
  readonly description: string;
  readonly code: string;
  readonly inputSchema: object;
  /** Input of the run that saves it. */
  readonly input: object;
}

/** Saves a snippet, and approves the calls of the run that saves it. */
export async function saveSnippet(url: string, name: string, script: SavedScript): Promise<void> {
  let saved: Body;
  const saving = fetch(`${url}/v1/snippets/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(script),
  }).then(
    async (response) => {
      saved = { status: response.status, text: await response.text() };
    },
    (error: unknown) => {
      saved = { text: String(error) };
    },
  );
  while (saved === undefined) {
    const { items } = await send(url, '/v1/approvals?status=pending');
    for (const asked of items) await approve(url, asked);
    await Promise.race([saving, pause(20)]);
  }
  assert.equal(saved.status, 201, saved.text);
}
