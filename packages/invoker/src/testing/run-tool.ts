import { silentLogger, systemClock } from '@ravi/kernel';
import type {
  AnyTool,
  ApprovalDecisionInput,
  ApprovalHandler,
  ApprovalRequest,
  BlobStore,
  ChainCallRecord,
  ChainPolicy,
  Clock,
  ElicitationRequest,
  ElicitationResult,
  InvocationResult,
  Journal,
  JsonObject,
  Logger,
  ProgressUpdate,
  RunEventOf,
} from '@ravi/kernel';
import { HookManager } from '../hooks/hook-manager.ts';
import { ToolInvoker } from '../invoker.ts';
import { Toolbox } from '../toolbox/toolbox.ts';

/** Options of {@link runTool}. */
export interface RunToolOptions {
  /** Answers to the questions of the tool, in their order. A question without an answer is withdrawn. */
  readonly answers?: readonly ElicitationResult[];
  /** `false` denies calls that need approval; by default they are approved. */
  readonly approves?: boolean;
  /** Other tools, for calls inside the call. */
  readonly tools?: readonly AnyTool[];
  readonly policy?: Partial<ChainPolicy>;
  /** Store for artifacts and large results; without it results stay inline, and `storeArtifact` fails. */
  readonly artifactStore?: BlobStore;
  readonly journal?: Journal;
  readonly cwd?: string;
  readonly agent?: string;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** One call of a tool, and what happened during it. */
export interface RunToolReport {
  readonly result: InvocationResult;
  readonly record: ChainCallRecord;
  /** Calls that the tool made, in the order in which they ended. */
  readonly calls: readonly ChainCallRecord[];
  readonly progress: readonly ProgressUpdate[];
  readonly elicitations: readonly ElicitationRequest[];
  readonly approvals: readonly ApprovalRequest[];
  readonly artifacts: readonly Pick<RunEventOf<'artifact'>, 'ref' | 'mediaType' | 'bytes'>[];
}

const callId = 'call_1';

/**
 * Calls a tool once through an invoker of its own and all its gates, without an agent, and reports what happened.
 * @throws KernelError `E_TOOL_INVALID` for a tool with an invalid definition, `E_CANCELLED` when `signal` aborts
 */
export async function runTool(
  tool: AnyTool,
  args: JsonObject = {},
  { tools = [], cwd, agent, signal, clock = systemClock, logger = silentLogger, ...options }: RunToolOptions = {},
): Promise<RunToolReport> {
  const hooks = new HookManager({ clock, logger });
  const progress: ProgressUpdate[] = [];
  const artifacts: RunEventOf<'artifact'>[] = [];
  hooks.observe('artifact', (event) => void artifacts.push(event));
  const people = createPeople(options);
  const { policy, artifactStore, journal } = options;
  const invoker = new ToolInvoker({
    registry: new Toolbox([tool, ...tools], { logger, hooks }),
    approvalHandler: people.handler,
    hooks,
    clock,
    logger,
    ...(policy === undefined ? {} : { policy }),
    ...(artifactStore === undefined ? {} : { artifactStore }),
    ...(journal === undefined ? {} : { journal }),
  });
  await using session = invoker.openSession({
    ...(cwd === undefined ? {} : { cwd }),
    ...(agent === undefined ? {} : { agent }),
    ...(signal === undefined ? {} : { signal }),
    onProgress(event) {
      if (event.type === 'tool-progress') progress.push(event.update);
    },
  });
  const result = await invoker.invoke({ name: tool.name, args, callId }, { session });
  const { trace } = session;
  const record = trace.find((each) => each.callId === callId) as ChainCallRecord;
  const calls = trace.filter((each) => each !== record);
  const { elicitations, approvals } = people;
  return { result, record, calls, progress, elicitations, approvals, artifacts };
}

interface People {
  readonly handler: ApprovalHandler;
  readonly elicitations: readonly ElicitationRequest[];
  readonly approvals: readonly ApprovalRequest[];
}

function createPeople({ answers = [], approves = true }: RunToolOptions): People {
  const elicitations: ElicitationRequest[] = [];
  const approvals: ApprovalRequest[] = [];
  return {
    elicitations,
    approvals,
    handler: {
      request(request): Promise<ApprovalDecisionInput> {
        if (request.elicitation !== undefined) {
          return Promise.resolve(decisionOf(answers[elicitations.push(request.elicitation) - 1]));
        }
        approvals.push(request);
        return Promise.resolve({ decision: approves ? 'approved' : 'denied', approver: 'test' });
      },
    },
  };
}

function decisionOf(answer: ElicitationResult = { action: 'cancel' }): ApprovalDecisionInput {
  if (answer.action === 'accept') {
    const { content } = answer;
    return { decision: 'approved', approver: 'test', ...(content === undefined ? {} : { content }) };
  }
  return answer.action === 'decline' ? { decision: 'denied', approver: 'test' } : { decision: 'denied' };
}
