import { freezeForeignTool, freezeTool } from '@ravi/invoker/internal';
import { defineTool, isLocalTool, KernelError, textBlock } from '@ravi/kernel';
import type {
  AnyTool,
  InvocationResult,
  JobStatus,
  JsonObject,
  Tool,
  ToolContext,
  ToolExecutionResult,
  ToolRegistry,
} from '@ravi/kernel';
import { mediaOf } from '../conversation/model-result.ts';
import { isLive } from '../jobs/jobs.ts';
import { toolRunOf } from './tool-run.ts';
import type { ToolRun } from './tool-run.ts';

const id = { type: 'string', description: 'Id of the job' } as const;
const defaultWaitMs = 60_000;
const maxWaitMs = 600_000;

const waitJobTool: Tool = defineTool({
  name: 'wait_job',
  description: 'Waits until a background job is finished and returns its result, or its status after a timeout.',
  inputSchema: {
    type: 'object',
    properties: {
      id,
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: maxWaitMs,
        description: `Milliseconds; default ${defaultWaitMs}`,
      },
    },
    required: ['id'],
    additionalProperties: false,
  },
  risk: 'safe',
  runAfterResponse: true,
  managesOwnTimeout: true,
  allowedCallers: ['direct'],
  async execute(args, context) {
    const run = requireRun(context);
    const { id: jobId, timeoutMs = defaultWaitMs } = args as { readonly id: string; readonly timeoutMs?: number };
    const job = run.jobs.get(jobId);
    // If the job waits for an approval, this call waits for it too, and the run may pause.
    const stopFollowing = job === undefined ? undefined : run.pausing?.follow(context.callId, job.callId);
    await waitAtMost(run.jobs.done(jobId), timeoutMs, context);
    stopFollowing?.();
    return read(run, jobId);
  },
});

const readJobTool: Tool = defineTool({
  name: 'read_job',
  description: 'Returns the status of a background job, and its result once it is finished.',
  inputSchema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
  risk: 'safe',
  runAfterResponse: true,
  allowedCallers: ['direct'],
  execute: (args, context) => read(requireRun(context), idOf(args)),
});

const stopJobTool: Tool = defineTool({
  name: 'stop_job',
  description: 'Stops a background job.',
  inputSchema: { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
  risk: 'safe',
  runAfterResponse: true,
  allowedCallers: ['direct'],
  execute(args, context) {
    const { jobs } = requireRun(context);
    const jobId = idOf(args);
    if (jobs.stop(jobId, 'The job was stopped')) return `The job ${jobId} was stopped.`;
    const job = jobs.get(jobId);
    if (job === undefined) throw unknownJob(jobId);
    return `The job ${jobId} is already ${job.status}.`;
  },
});

/** Tools that an agent with background work gets in addition to its own. */
export const jobTools: readonly Tool[] = [waitJobTool, readJobTool, stopJobTool];

/** True for a tool whose calls become jobs. */
export function isBackgroundTool(tool: AnyTool): boolean {
  return isLocalTool(tool) && tool.mode === 'background';
}

/** True if the registry has this tool, or its snapshot. */
export function isRegistered(registry: ToolRegistry, tool: AnyTool): boolean {
  const known = registry.get(tool.name);
  return known !== undefined && [tool, freezeTool(tool), freezeForeignTool(tool)].includes(known);
}

/**
 * Returns those of `wait_job`, `read_job` and `stop_job` that a registry lacks, if it has a tool whose calls become jobs. An agent
 * adds them when it is created; add them for tools that the registry gets later.
 */
export function missingJobTools(registry: ToolRegistry): readonly Tool[] {
  return registry.all().some(isBackgroundTool) ? jobTools.filter((tool) => !isRegistered(registry, tool)) : [];
}

async function read(run: ToolRun, jobId: string): Promise<ToolExecutionResult> {
  const job = run.jobs.get(jobId) ?? (await storedJob(run, jobId));
  if (job === undefined) throw unknownJob(jobId);
  if (isLive(job)) return { content: [textBlock(`The job ${jobId} is ${job.status}.`)], isError: false };
  run.jobs.markRead(jobId);
  const text = textBlock(`The job ${jobId} is ${job.status}:\n${job.result?.text ?? ''}`);
  return { content: [text, ...mediaOf(job.result)], isError: job.status !== 'completed' };
}

// A job of an earlier run of the same session, and of no other.
async function storedJob(
  run: ToolRun,
  jobId: string,
): Promise<{ readonly status: JobStatus; readonly result?: InvocationResult } | undefined> {
  const job = await run.definition.jobs?.get(jobId);
  if (job === undefined || job.principal !== run.principal || job.sessionId !== run.sessionId) return undefined;
  const result = job.result as unknown as InvocationResult | undefined;
  return { status: job.status, ...(result === undefined ? {} : { result }) };
}

function waitAtMost(done: Promise<void>, timeoutMs: number, context: ToolContext): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      timer.cancel();
      context.signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = context.clock.setTimer(stop, timeoutMs);
    context.signal.addEventListener('abort', stop);
    void done.then(stop);
  });
}

function unknownJob(jobId: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', `There is no job ${jobId}`);
}

function requireRun(context: ToolContext): ToolRun {
  const run = toolRunOf(context);
  if (run === undefined)
    throw new KernelError('E_TOOL_NOT_CALLABLE', 'Job tools can only be called directly by the model of an agent');
  return run;
}

function idOf(args: JsonObject): string {
  return args['id'] as string;
}
