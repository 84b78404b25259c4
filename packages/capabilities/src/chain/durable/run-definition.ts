import { sha256OfJson, toolDigest, withRisksOf } from '@ravi/invoker';
import type { SessionOptions, ToolFilter, ToolInvoker } from '@ravi/invoker';
import { defineChainPolicy, isLocalTool } from '@ravi/kernel';
import type {
  ChainPolicy,
  JsonObject,
  JsonValue,
  Principal,
  Run,
  RunBlock,
  RunDefinition,
  RunNeed,
  SandboxLanguage,
  ToolRegistry,
} from '@ravi/kernel';
import { definitionDigest } from '../../declarations/tool-declarations.ts';
import type { ApproveMode } from '../set/call-set.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Behaviour while a call waits for approval: the script waits too, or the run is stored and resumed with the decision. */
export type ApprovalMode = 'wait' | 'pause';

/** A request to run a script that survives the end of its process. */
export interface DurableChainRequest {
  /** The script as a model wrote it. */
  readonly code: string;
  /** `javascript`, which includes TypeScript, when absent. */
  readonly language?: SandboxLanguage;
  /** The value of `input` in the script. */
  readonly input?: JsonObject;
  /** At most 100 characters; a new random id when absent. */
  readonly runId?: string;
  /** A new random id when absent. */
  readonly sessionId?: string;
  /** `local` when absent. */
  readonly principal?: Principal;
  readonly policy?: Partial<ChainPolicy>;
  /** The only tools that may be called; absent means all. */
  readonly allowedTools?: readonly string[];
  /** `wait` when absent. */
  readonly approvals?: ApprovalMode;
  /** `each` when absent. With `set`, a dry run collects the calls that need approval, and people approve them together. */
  readonly approve?: ApproveMode;
  /** Cancels the run for good. */
  readonly signal?: AbortSignal;
}

/** The kind of runs that are chains; a store may hold runs of other kinds. */
export const chainKind: string = 'chain';

/** Details of a run that only chains have. */
interface ChainDetails {
  readonly approve?: ApproveMode;
  readonly approvals: ApprovalMode;
  /** Call whose script this is, in the run above. */
  readonly callId?: string;
  readonly allowedTools?: readonly string[];
  /** Risks that were allowed without approval where the run started. */
  readonly risks: Pick<ChainPolicy, 'maxRiskUnapproved' | 'defaultRisk'>;
  /** Digest of a fixed text. If it differs, the key differs, and recorded digests cannot be compared. */
  readonly keyDigest: string;
}

// Raised when this code would return replies in another order, or other values, than an earlier version.
const protocol = 1;
const keyText = 'the key of a durable run';

/** Caller for whom a run is defined. */
export interface RunCaller {
  /** Tools that exist for the principal of the run; all when absent. */
  readonly callerFilters: ToolFilter | undefined;
  /** Call whose script it is, in the run above. */
  readonly callId?: string;
}

/**
 * Returns everything that determines how a run behaves, as it is when the run starts. Its caller can read it, so it names no tool that the
 * operator hides from the caller.
 * @throws KernelError `E_CONFIG_INVALID` for its policy
 */
export function defineRun(
  request: DurableChainRequest,
  invoker: ToolInvoker,
  { callerFilters, callId }: RunCaller,
): RunDefinition {
  const { code, language = 'javascript', input, policy, approvals = 'wait', allowedTools, approve = 'each' } = request;
  const details: ChainDetails = {
    approvals,
    ...(approve === 'each' ? {} : { approve }),
    ...(callId === undefined ? {} : { callId }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    risks: risksOf(invoker.policy),
    keyDigest: invoker.digest(keyText),
  };
  return {
    kind: chainKind,
    code,
    language,
    scriptDigest: scriptDigestOf(code, language, input),
    tools: namedTools(code, invoker.registry, allowedTools, callerFilters),
    policy: { ...defineChainPolicy(policy, invoker.policy) },
    details: details as unknown as JsonObject,
    ...(input === undefined ? {} : { input }),
  };
}

/**
 * Returns the options of a run's session from its definition. If the invoker's policy has changed since, no more is
 * allowed without approval than the policy allows now.
 */
export function sessionOfRun(
  { id: runId, sessionId, principal, definition }: Run,
  invoker: ToolInvoker,
): SessionOptions & { readonly approvals: ApprovalMode; readonly approve: ApproveMode } {
  const { allowedTools, approvals, approve = 'each', risks } = definition.details as unknown as ChainDetails;
  const own = defineChainPolicy(definition.policy);
  const policy = isSame(risks, risksOf(invoker.policy)) ? own : withRisksOf(invoker.policy, own);
  return {
    runId,
    sessionId,
    principal,
    policy,
    approvals,
    approve,
    ...(allowedTools === undefined ? {} : { allowedTools }),
  };
}

/**
 * Returns what the run needs and this process does not have: its script, its tools and its key as they were when it started. With the
 * record of the run, tools count too that it has called and does not name.
 */
export function needsOf({ definition }: Run, invoker: ToolInvoker, recorded?: RecordedRun): readonly RunNeed[] {
  const { code = '', language = 'javascript', input, scriptDigest, tools = [] } = definition;
  const needs: RunNeed[] = [];
  if (scriptDigestOf(code, language, input) !== scriptDigest) needs.push({ kind: 'script', state: 'changed' });
  const { keyDigest } = (definition.details ?? {}) as unknown as Partial<ChainDetails>;
  if (keyDigest !== invoker.digest(keyText)) needs.push({ kind: 'key', state: 'changed' });
  const needed = new Map<string, RunNeed>();
  const compare = (name: string, then: string, now: string | undefined): void => {
    if (then !== now) needed.set(name, { kind: 'tool', name, state: now === undefined ? 'missing' : 'changed' });
  };
  for (const { name, digest } of tools) compare(name, digest, digestOf(name, invoker.registry));
  for (const { entry } of recorded?.calls.values() ?? []) {
    const { tool: name } = entry.record;
    const tool = invoker.registry.get(name);
    if (entry.toolDigest !== undefined) compare(name, entry.toolDigest, tool && toolDigest(tool));
  }
  return [...needs, ...needed.values()];
}

const nameOfNeed: Readonly<Record<RunNeed['kind'], (name: string) => string>> = {
  agent: (name) => `the agent ${name}`,
  key: () => 'the digest key of the installation',
  script: () => 'its script, or the version of the script runtime',
  tool: (name) => `the tool ${name}`,
};

/** Returns the block of a run with these needs; `undefined` if there are none. */
export function blockOf(needs: readonly RunNeed[]): RunBlock | undefined {
  if (needs.length === 0) return undefined;
  const listed = (['changed', 'missing'] as const).flatMap((state) => {
    const names = needs.filter((need) => need.state === state).map(({ kind, name = '' }) => nameOfNeed[kind](name));
    return names.length === 0
      ? []
      : [`this ${state === 'changed' ? 'has changed' : 'is missing'}: ${names.join(', ')}`];
  });
  return { message: `The run cannot be resumed, because ${listed.join('; and ')}`, needs };
}

function risksOf({ maxRiskUnapproved, defaultRisk }: ChainPolicy): ChainDetails['risks'] {
  return { maxRiskUnapproved, defaultRisk };
}

function isSame(one: ChainDetails['risks'], other: ChainDetails['risks']): boolean {
  return one.maxRiskUnapproved === other.maxRiskUnapproved && one.defaultRisk === other.defaultRisk;
}

// Only the tools that the script names: changes of other tools do not affect it.
function namedTools(
  code: string,
  registry: ToolRegistry,
  allowedTools: readonly string[] = registry.names(),
  callerFilters: ToolFilter | undefined,
): NonNullable<RunDefinition['tools']> {
  return allowedTools.flatMap((name) => {
    const isNamed = code.includes(name) && (callerFilters?.has(name) ?? true);
    const digest = isNamed ? digestOf(name, registry) : undefined;
    return digest === undefined ? [] : [{ name, digest }];
  });
}

function digestOf(name: string, registry: ToolRegistry): string | undefined {
  const tool = registry.get(name);
  return tool !== undefined && isLocalTool(tool) ? definitionDigest(tool) : undefined;
}

function scriptDigestOf(code: string, language: SandboxLanguage, input: JsonValue | undefined): string {
  return sha256OfJson({ code, language, input: input ?? null, protocol });
}
