import type { ToolContext } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import type { OpenDocument } from './server/documents.ts';
import type { LspParts, ReadyServer } from './server/server-pool.ts';
import { findPosition } from './text/positions.ts';
import type { AskedPlace, ProtocolPosition } from './text/positions.ts';

/** Arguments of a tool that asks about a place in a file. */
export interface PlaceArguments extends AskedPlace {
  readonly path: string;
}

/** File that a tool asks about, open in its server. */
export interface Subject {
  readonly workspace: Workspace;
  /** Path in the workspace without links. */
  readonly path: string;
  readonly document: OpenDocument;
  readonly ready: ReadyServer;
  readonly signal: AbortSignal;
}

/** Opens a file in its server and runs `ask`. @throws KernelError of the workspace, of the server, and of `ask` */
export async function askAboutFile<Result>(
  { pool, workspaceOf }: LspParts,
  context: Pick<ToolContext, 'cwd' | 'signal'>,
  asked: string,
  ask: (subject: Subject) => Promise<Result>,
): Promise<Result> {
  const workspace = workspaceOf(context);
  const path = realPath(workspace, asked);
  const { signal } = context;
  return pool.use(pool.nameFor(path), workspace, signal, async (ready) => {
    const document = await ready.documents.open(path);
    return ask({ workspace, path, document, ready, signal });
  });
}

/** Asks about a place: the position is found in the content that the server has. */
export async function askAboutPlace<Result>(
  parts: LspParts,
  context: Pick<ToolContext, 'cwd' | 'signal'>,
  args: PlaceArguments,
  ask: (subject: Subject, position: ProtocolPosition) => Promise<Result>,
): Promise<Result> {
  return askAboutFile(parts, context, args.path, (subject) => ask(subject, findPosition(subject.document.lines, args)));
}

function realPath(workspace: Workspace, path: string): string {
  using place = workspace.locate(path);
  return place.path;
}
