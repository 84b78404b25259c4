import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFsBlobStore } from '@ravi/blob-fs';
import { defineTool, KernelError } from '@ravi/kernel';
import type { BlobStore, CompleteStateStore, Tool } from '@ravi/kernel';
import { createPostgresStateStore } from '@ravi/state-postgres';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import type { PassPoint } from './crash-points.ts';
import type { CrashOrders, CrashStore } from './orders.ts';

/** Opens the state of a world. */
export function openState(store: CrashStore): Promise<CompleteStateStore> {
  if (store.kind === 'sqlite') return createSqliteStateStore({ file: store.file });
  return createPostgresStateStore({ url: store.url, schema: store.schema, maxConnections: 4 });
}

/** Opens the artifacts of a world. */
export function openBlobs(folder: string): BlobStore {
  return createFsBlobStore({ root: blobsFolder(folder) });
}

/** Returns the folder of the artifacts of a world. */
export function blobsFolder(folder: string): string {
  return join(folder, 'blobs');
}

/**
 * Script of a run: mails that must not be sent twice, in sequence and in parallel, a row that may be written again, a large
 * result, a wait, and transfers that need approval. It returns the result of each.
 */
export const crashScript = `
  const told = {};
  const note = async (id, call) => {
    const { status, error } = await call;
    told[id] = error === undefined ? status : error.code;
  };
  const id = (name) => input.id + '/' + name;
  const mail = (name) => note(id(name), tools.mail.safe({ id: id(name) }));
  await mail('mail-1');
  const large = await tools.large({ id: input.id });
  await note(id('row'), tools.row.safe({ id: id('row'), bytes: large.length }));
  await Promise.all([mail('mail-2'), mail('mail-3'), sleep(2), tools.large({ id: input.id })]);
  await Promise.all(['wire-1', 'wire-2'].map((name) => note(id(name), tools.wire.safe({ id: id(name) }))));
  await mail('mail-4');
  return told;
`;

/** Number of calls of a run. */
export const callsOfRun = 9;

/** One recorded effect of a tool. */
export interface Effect {
  readonly kind: 'mail' | 'row' | 'wire';
  readonly id: string;
  readonly key: string;
}

/** Returns tools that append a line to a file, with a point right before and right after it. */
export function crashTools({ folder }: Pick<CrashOrders, 'folder'>, pass: PassPoint): readonly Tool[] {
  mkdirSync(folder, { recursive: true });
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const;
  const effect = (kind: Effect['kind'], more: Partial<Tool>): Tool =>
    defineTool({
      name: kind,
      description: `Leaves a line about a ${kind}.`,
      inputSchema,
      ...more,
      execute({ id }, { idempotencyKey: key }) {
        if (typeof id !== 'string') throw new KernelError('E_ARGUMENTS_INVALID', 'id is text');
        pass(`before ${kind}`);
        appendFileSync(effectsFile(folder), `${JSON.stringify({ kind, id, key } satisfies Effect)}\n`);
        pass(`after ${kind}`);
        return 'done';
      },
    });
  return [
    effect('mail', { risk: 'high' }),
    effect('row', { risk: 'high', idempotent: true }),
    effect('wire', { risk: 'critical' }),
    defineTool({
      name: 'large',
      description: 'Gives a large text.',
      inputSchema,
      risk: 'safe',
      execute: () => 'x'.repeat(10_000),
    }),
  ];
}

/** Returns the effects of the tools of a world, in order. */
export function readEffects(folder: string): readonly Effect[] {
  if (!existsSync(effectsFile(folder))) return [];
  const lines = readFileSync(effectsFile(folder), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Effect);
}

function effectsFile(folder: string): string {
  return join(folder, 'effects.jsonl');
}
