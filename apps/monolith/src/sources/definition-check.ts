import { KernelError, compareRisk } from '@ravi/kernel';
import type { AnyTool, Clock, Logger, Principal } from '@ravi/kernel';
import type {
  AcceptedDefinition,
  AcceptedDefinitions,
  RejectedDefinition,
  StoredDefinition,
} from './accepted-definitions.ts';
import { definitionDigestOf, definitionOf, textDigestOf } from './tool-definition.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** A tool whose definition differs from the accepted one, or could not be compared. */
export interface HeldTool {
  readonly tool: string;
  /**
   * `new`: its source offers it since its first list was accepted. `unknown`: the state store could not be read, so the definitions
   * were not compared.
   */
  readonly state: 'new' | 'changed' | 'rejected' | 'unknown';
  readonly offered: ToolDefinition;
  /** SHA-256 of the offered definition. */
  readonly digest: string;
  /** Absent if the state is `unknown`, or no definition of the tool was accepted yet. */
  readonly accepted?: AcceptedDefinition;
  /** Present if the state is `rejected`. */
  readonly rejected?: RejectedDefinition;
}

/** Settings of a source that the operator wrote. */
export interface SourceRules {
  /** True if hints of the source count. */
  readonly isTrusted: boolean;
  /** True if tools that appear after the first list are offered at once. */
  readonly acceptsNewTools?: boolean;
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
  /** Accepts the first list of the source, holds tools that it offers later, and definitions that differ from the accepted ones. */
  check(tools: readonly AnyTool[], rules: SourceRules): Promise<CheckedTools>;
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
  let hasFirstList = false;

  async function read(): Promise<boolean> {
    try {
      const stored = await definitions.of(source);
      known = new Map(stored.byTool);
      hasFirstList = stored.hasFirstList;
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

  async function endFirstList(): Promise<void> {
    try {
      await definitions.endFirstList(source);
      hasFirstList = true;
    } catch (error) {
      // The next reading does it.
      logger.error('the end of the first list of tools cannot be stored', { source, error });
    }
  }

  async function judge(
    offered: ToolDefinition,
    { isTrusted, acceptsNewTools = false }: SourceRules,
    isRead: boolean,
  ): Promise<HeldTool | undefined> {
    const { name: tool } = offered;
    const digest = definitionDigestOf(offered);
    const unknown: HeldTool = { tool, state: 'unknown', offered, digest };
    if (!known.has(tool)) {
      if (isRead && hasFirstList && !acceptsNewTools) return { ...unknown, state: 'new' };
      const first = { definition: offered, digest, isTrusted, at: clock.now() };
      if (!isRead || !(await put(first, 0))) return unknown;
    }
    const stored = known.get(tool);
    if (stored === undefined) return unknown;
    const { accepted } = stored;
    const rejected = accepted.rejected?.digest === digest ? accepted.rejected : undefined;
    if (accepted.isOnlyRejected === true) {
      return rejected === undefined ? { ...unknown, state: 'new' } : { ...unknown, state: 'rejected', rejected };
    }
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
    if (rejected !== undefined) return { tool, state: 'rejected', offered, digest, accepted, rejected };
    return { tool, state: isRead ? 'changed' : 'unknown', offered, digest, accepted };
  }

  return {
    async check(tools, rules) {
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
        const problem = await judge(offered, rules, isRead);
        if (problem === undefined) accepted.push(tool);
        else held.push(problem);
      }
      if (isRead && !hasFirstList && known.size > 0 && held.every(({ state }) => state !== 'unknown'))
        await endFirstList();
      const wasAccepted = [...known].filter(([, one]) => one.accepted.isOnlyRejected !== true);
      return { tools: accepted, held, known: wasAccepted.map(([name]) => name) };
    },
    async decide({ tool, state, offered, digest, accepted }, { isAccepted, by }, isTrusted) {
      const revision = known.get(tool)?.revision ?? 0;
      if (state === 'unknown') {
        throw new KernelError('E_STATE_UNAVAILABLE', `The definition of ${tool} could not be compared; try again`);
      }
      const at = clock.now();
      const next: AcceptedDefinition = isAccepted
        ? { definition: offered, digest, isTrusted, by, at }
        : {
            ...(accepted ?? { definition: offered, digest, isTrusted, at, isOnlyRejected: true }),
            rejected: { digest, by, at },
          };
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
