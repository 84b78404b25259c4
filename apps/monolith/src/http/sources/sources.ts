import { api } from '@ravi/api';
import type { HeldDefinition, SourceSummary } from '@ravi/api';
import type { CallerAccess, Toolbox, ToolFilter } from '@ravi/invoker';
import { isHostedTool, isKernelError, staticRisk } from '@ravi/kernel';
import type { ChainPolicy, ToolSourceSignIn } from '@ravi/kernel';
import { escapeHidden } from '@ravi/support';
import type { Redactor } from '../../logging/redactor.ts';
import type { HeldTool } from '../../sources/definition-check.ts';
import type { LiveSource } from '../../sources/live-source.ts';
import type { ToolSources } from '../../sources/tool-sources.ts';
import type { Caller } from '../access/caller.ts';
import { implement, listOf, Reply } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';
import { definitionChanges } from './definition-changes.ts';

/** Services of {@link sourceOperations}. */
export interface SourceServices {
  readonly toolSources: ToolSources;
  readonly toolbox: Toolbox;
  readonly toolAccess: CallerAccess;
  readonly policy: ChainPolicy;
  readonly redactor: Redactor;
}

/** Implements the operations on sources of tools. */
export function sourceOperations({
  toolSources,
  toolbox,
  toolAccess,
  policy,
  redactor,
}: SourceServices): readonly Endpoint[] {
  function named(name: string): LiveSource {
    const source = toolSources.all.find((one) => one.name === name);
    if (source === undefined) throw problem('E_SOURCE_UNKNOWN', `There is no tool source "${name}"`);
    return source;
  }

  function signInOf(name: string): ToolSourceSignIn {
    const { signIn } = named(name);
    if (signIn === undefined)
      throw problem(
        'E_UNSUPPORTED',
        `Callers do not sign in at the tool source "${name}"; an MCP server takes them with "signIn" in its entry`,
      );
    return signIn;
  }

  async function summaryOf(source: LiveSource, { principal, roles }: Caller): Promise<SourceSummary> {
    const { status, failures, held } = source.state;
    const {
      state = 'ready',
      message,
      place,
      program,
      protocol,
      isTrusted,
      holdsChanges,
      acceptsNewTools,
    } = status ?? {};
    const isOperator = roles.some((role) => role !== 'run');
    const ofCaller = toolAccess.toolsOf(principal);
    const isSeen = ({ tool }: HeldTool): boolean => isOperator || (ofCaller?.has(tool) ?? true);
    const signIn = source.signIn && { signIn: { isSignedIn: await source.signIn.isSignedIn(principal) } };
    const clean = (text: string): string => escapeHidden(redactor.text(text));
    return {
      name: source.name,
      isRemote: place !== undefined,
      state,
      // Operators see what the source has, others what they may use.
      tools: [...offeredTools(source.name, isOperator ? undefined : ofCaller), ...held.filter(isSeen).map(heldTool)],
      ...(place === undefined ? {} : { place: clean(place) }),
      ...(program === undefined ? {} : { program: { name: clean(program.name), version: clean(program.version) } }),
      ...(protocol === undefined ? {} : { protocol: clean(protocol) }),
      ...(isTrusted === undefined ? {} : { isTrusted }),
      ...(holdsChanges === undefined ? {} : { holdsChanges }),
      ...(acceptsNewTools === undefined ? {} : { acceptsNewTools }),
      ...signIn,
      ...(isOperator && message !== undefined ? { message: clean(message) } : {}),
      ...(isOperator
        ? {
            // The reason why a source cannot be opened is its message already.
            failures: failures
              .filter((one) => one.from !== source.name || one.message !== message)
              .map((one) => ({ from: clean(one.from), message: clean(one.message) })),
          }
        : {}),
    };
  }

  function offeredTools(source: string, filter: ToolFilter | undefined): SourceSummary['tools'] {
    const tools = toolbox.all().filter(({ name }) => toolbox.sourceOf(name) === source && (filter?.has(name) ?? true));
    return tools.map((tool) => ({
      name: tool.name,
      description: escapeHidden(tool.description),
      ...(isHostedTool(tool) ? {} : { risk: staticRisk(tool, policy.defaultRisk) }),
    }));
  }

  return [
    implement(api.sources.list, async ({ caller }) =>
      listOf(await Promise.all(toolSources.all.map((source) => summaryOf(source, caller)))),
    ),
    implement(api.sources.reconnect, async ({ params: { name }, caller }) => {
      const source = named(name);
      await source.reconnect();
      return summaryOf(source, caller);
    }),
    implement(api.sources.held, ({ params: { name } }) => {
      const { state } = named(name);
      return listOf(state.held.map((held) => heldDefinition(name, held)));
    }),
    implement(api.sources.decide, async ({ params: { name }, body: { tool, digest, decision }, caller }) => {
      const source = named(name);
      await source.decide(tool, { digest, isAccepted: decision === 'accept', by: caller.principal });
      return summaryOf(source, caller);
    }),
    implement(api.sources.signIn, async ({ params: { name }, caller, headers, isSecure }) =>
      signInOf(name).begin(caller.principal, callbackUrl({ headers, isSecure })),
    ),
    implement(api.sources.completeSignIn, async ({ body, caller }) => ({
      source: await completeSignIn(toolSources.all, caller, new URLSearchParams(body.query)),
    })),
    implement(api.sources.signOut, async ({ params: { name }, caller }) => {
      await signInOf(name).signOut(caller.principal);
      return new Reply(204, undefined);
    }),
  ];
}

/** A page of the console: links from other sites lead to pages, never to the API. */
const callbackPath = '/servers/callback';

// `same-origin.ts` has checked the host.
function callbackUrl({ headers, isSecure }: Pick<ApiRequest, 'headers' | 'isSecure'>): string {
  return `${isSecure ? 'https' : 'http'}://${headers.get('host') ?? ''}${callbackPath}`;
}

// The state in the query belongs to one sign-in of one source; each source knows its own.
async function completeSignIn(
  sources: readonly LiveSource[],
  { principal, roles }: Caller,
  query: URLSearchParams,
): Promise<string> {
  // The same right as for a decision about a definition: what this caller is shown becomes what all callers are offered.
  const definesTools = roles.some((role) => role === 'approve' || role === 'admin');
  for (const { name, signIn, refresh } of sources) {
    if (signIn === undefined) continue;
    try {
      await signIn.complete(principal, query, { definesTools });
    } catch (error) {
      if (isKernelError(error, 'E_REQUEST_INVALID')) continue;
      throw error;
    }
    await refresh();
    return name;
  }
  throw problem('E_REQUEST_INVALID', 'This sign-in is unknown or was completed before: begin it again');
}

function heldTool({ tool, state, offered }: HeldTool): SourceSummary['tools'][number] {
  return { name: escapeHidden(tool), description: escapeHidden(String(offered.description)), held: state };
}

function heldDefinition(
  source: string,
  { tool, state, digest, offered, accepted, rejected }: HeldTool,
): HeldDefinition {
  return {
    source,
    tool,
    state,
    digest,
    changes: definitionChanges(accepted?.definition, offered),
    ...(accepted === undefined ? {} : { acceptedAt: accepted.at }),
    ...(accepted?.by === undefined ? {} : { acceptedBy: accepted.by }),
    ...(rejected === undefined ? {} : { rejectedAt: rejected.at, rejectedBy: rejected.by }),
  };
}
