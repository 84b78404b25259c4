import { KernelError, compareRisk } from '@ravi/kernel';
import type { AnyTool, Clock, Logger, Principal } from '@ravi/kernel';
import type { AcceptedDefinition, AcceptedDefinitions, StoredDefinition } from './accepted-definitions.ts';
import { definitionDigestOf, definitionOf, textDigestOf } from './tool-definition.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** A tool whose definition differs from the accepted one, or could not be compared. */
export interface HeldTool {
  readonly tool: string;
  /** `unknown`: the state store could not be read, so the definitions were not compared. */
  readonly state: 'changed' | 'rejected' | 'unknown';
  readonly offered: ToolDefinition;
  /** SHA-256 of the offered definition. */
  readonly digest: string;
  /** Absent if the state is `unknown`. */
  readonly accepted?: AcceptedDefinition;
}

/** Tools of a source after the comparison of their definitions. */
export interface CheckedTools {
  /** Tools whose definitions are accepted. A tool that cannot be read is among them: the toolbox refuses it. */
  readonly tools: readonly AnyTool[];
  readonly held: readonly HeldTool[];
  /** Names of all tools of the source that were ever accepted. */
  readonly known: readonly string[];
}

/** Decision on a held definition. */
export interface DefinitionDecision {
  readonly digest: string;
  readonly isAccepted: boolean;
  readonly by: Principal;
}

/** Comparison of the tools of one source with the accepted definitions. */
export interface DefinitionCheck {
  /** Accepts the first definition of each tool, and holds one that differs from the accepted definition. */
  check(tools: readonly AnyTool[], isTrusted: boolean): Promise<CheckedTools>;
  /** @throws KernelError `E_STATE_CONFLICT` if another decision was stored first, or as the state store */
  decide(held: HeldTool, decision: DefinitionDecision, isTrusted: boolean): Promise<void>;
}

/** Options of {@link createDefinitionCheck}. */
export interface DefinitionCheckOptions {
  /** Name of the source. */
  readonly source: string;
  readonly definitions: AcceptedDefinitions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the comparison for one source. */
export function createDefinitionCheck({ source, definitions, clock, logger }: DefinitionCheckOptions): DefinitionCheck {
  // From the store as it was read last; what a person accepted once stays known while the store is not available.
  let known = new Map<string, StoredDefinition>();

  async function read(): Promise<boolean> {
    try {
      known = new Map(await definitions.of(source));
      return true;
    } catch (error) {
      logger.error('definitions of tools cannot be read', { source, error });
      return false;
    }
  }

  /** Stores a definition; `false` if the store is not available. After a lost race `known` has the definition of the winner. */
  async function put(accepted: AcceptedDefinition, ifRevision: number): Promise<boolean> {
    try {
      const stored = await definitions.put(source, accepted, ifRevision);
      if (stored === undefined) return await read();
      known.set(accepted.definition.name, stored);
      return true;
    } catch (error) {
      logger.error('the definition of a tool cannot be stored', { source, tool: accepted.definition.name, error });
      return false;
    }
  }

  async function judge(offered: ToolDefinition, isTrusted: boolean, isRead: boolean): Promise<HeldTool | undefined> {
    const { name: tool } = offered;
    const digest = definitionDigestOf(offered);
    const unknown: HeldTool = { tool, state: 'unknown', offered, digest };
    if (!known.has(tool)) {
      const first = { definition: offered, digest, isTrusted, at: clock.now() };
      if (!isRead || !(await put(first, 0))) return unknown;
    }
    const stored = known.get(tool);
    if (stored === undefined) return unknown;
    const { accepted } = stored;
    if (accepted.digest === digest) {
      // Otherwise the next change would count as that of a source that the operator trusts only now.
      if (isRead && accepted.isTrusted !== isTrusted) await put({ ...accepted, isTrusted }, stored.revision);
      return undefined;
    }
    if (isOperatorsChange(accepted, offered, isTrusted)) {
      // Keeps the comparison with what is offered now; a failure repeats it with the next change.
      if (isRead) await put({ ...accepted, definition: offered, digest, isTrusted }, stored.revision);
      return undefined;
    }
    const state = accepted.rejected?.digest === digest ? 'rejected' : isRead ? 'changed' : 'unknown';
    return { tool, state, offered, digest, accepted };
  }

  return {
    async check(tools, isTrusted) {
      const isRead = await read();
      const accepted: AnyTool[] = [];
      const held: HeldTool[] = [];
      const seen = new Set<string>();
      for (const tool of tools) {
        const offered = readDefinition(tool);
        if (offered === undefined) {
          accepted.push(tool);
          continue;
        }
        // The toolbox refuses the second tool of a name, but would offer it in the place of one that is held.
        if (seen.has(offered.name)) {
          if (!held.some((one) => one.tool === offered.name)) accepted.push(tool);
          continue;
        }
        seen.add(offered.name);
        const problem = await judge(offered, isTrusted, isRead);
        if (problem === undefined) accepted.push(tool);
        else held.push(problem);
      }
      return { tools: accepted, held, known: [...known.keys()] };
    },
    async decide({ tool, offered, digest, accepted }, { isAccepted, by }, isTrusted) {
      const revision = known.get(tool)?.revision;
      if (accepted === undefined || revision === undefined) {
        throw new KernelError('E_STATE_UNAVAILABLE', `The definition of ${tool} could not be compared; try again`);
      }
      const at = clock.now();
      const next: AcceptedDefinition = isAccepted
        ? { definition: offered, digest, isTrusted, by, at }
        : { ...accepted, rejected: { digest, by, at } };
      const stored = await definitions.put(source, next, revision);
      if (stored === undefined) {
        throw new KernelError('E_STATE_CONFLICT', `Another decision about ${tool} was stored first; look at it again`);
      }
      known.set(tool, stored);
    },
  };
}

function readDefinition(tool: AnyTool): ToolDefinition | undefined {
  try {
    const definition = definitionOf(tool);
    return typeof definition.name === 'string' ? definition : undefined;
  } catch {
    return undefined;
  }
}

/**
 * True if only the risk, or whether a repeated call is harmless, differs, and the source has not made it look safer. Hints of a source count only while it is trusted, so the risk
 * of another source, and the change to a trusted one, are settings of the operator.
 */
function isOperatorsChange(
  { definition, isTrusted: wasTrusted }: AcceptedDefinition,
  offered: ToolDefinition,
  isTrusted: boolean,
): boolean {
  if (textDigestOf(definition) !== textDigestOf(offered)) return false;
  if (!wasTrusted || !isTrusted) return true;
  if (offered.idempotent === true && definition.idempotent !== true) return false;
  return compareRisk(offered.risk ?? 'high', definition.risk ?? 'high') >= 0;
}
