import { tooMuch } from './host/host-process.ts';
import type { OperationKind } from './operation.ts';
import type { World } from './world/world.ts';

/** Classes of cases, in the order of the page. */
export const caseClasses = ['paths', 'lost updates', 'size', 'commands', 'repositories', 'web'] as const;

/** Class of a case. */
export type CaseClass = (typeof caseClasses)[number];

/** Attack on the tools of an agent, with an oracle that looks at the world. */
export interface HostileCase {
  readonly class: CaseClass;
  /** Attempt, as the page names it. */
  readonly name: string;
  /** Kinds of calls that it makes; without a tool for one of them it is not offered. */
  readonly needs: readonly OperationKind[];
  /** Sets the world up, makes the calls and returns the harm that the world shows; `undefined` without harm. */
  attack(world: World): Promise<string | undefined>;
}

/** Harm of a case that reads what it must not. */
const secretRead = 'the secret was in the result';

/** Returns {@link secretRead} if a text has the secret of the world. */
export function leakIn({ lab }: World, text: string): string | undefined {
  return text.includes(lab.secret) ? secretRead : undefined;
}

/** Bytes that a call may need in the host process. A smaller answer than all of a file or page needs much less. */
const memoryLimitBytes = 314_572_800;

/** Runs calls and returns whether the host process needed more than {@link memoryLimitBytes} for them. */
export async function memoryHarm({ host }: World, calls: () => Promise<unknown>): Promise<string | undefined> {
  const grown = host.startMemory();
  await calls();
  return grown() > memoryLimitBytes ? tooMuch : undefined;
}
