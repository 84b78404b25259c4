import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { JsonValue, Tool, ToolContext, ToolJob, ToolJobs } from '@ravi/kernel';

const defaultWaitMs = 60_000;
const maxWaitMs = 600_000;
const maxJobs = 50;

/** Creates the tool that waits for jobs of `spawn`. */
export function createJoin(): Tool {
  return defineTool({
    name: 'join',
    description:
      'Waits for background jobs and returns their results in the order of the ids. After waitMs it returns what has ended, and "running" for the others.',
    promptHint: 'After spawn, join waits for the result when you need it.',
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        ids: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 200 },
          minItems: 1,
          maxItems: maxJobs,
          description: 'Ids of jobs of this run.',
        },
        waitMs: {
          type: 'integer',
          minimum: 0,
          maximum: maxWaitMs,
          description: `Milliseconds; ${defaultWaitMs} by default.`,
        },
      },
      required: ['ids'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        jobs: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              status: { enum: ['queued', 'running', 'completed', 'failed', 'cancelled'] },
              text: { type: ['string', 'null'], description: 'Result; null while it runs.' },
            },
            required: ['id', 'status', 'text'],
          },
        },
      },
      required: ['jobs'],
    },
    documentation: () =>
      'join waits in this process. For a job that waits for an approval use wait_job: the run then pauses until the decision.',
    async execute({ ids, waitMs = defaultWaitMs }, context) {
      const { jobs } = context;
      if (jobs === undefined) {
        throw new KernelError('E_UNSUPPORTED', 'join waits for jobs of an agent, and no agent makes this call');
      }
      const unknown = ids.find((id) => jobs.get(id) === undefined);
      if (unknown !== undefined) throw new KernelError('E_ARGUMENTS_INVALID', `This run has no job ${unknown}`);
      await allAtMost(ids, jobs, waitMs, context);
      const shown = ids.map((id) => shownJob(id, jobs.get(id)));
      return {
        content: [
          textBlock(
            shown.map(({ id, status, text }) => `${id} is ${status}${text === null ? '' : `:\n${text}`}`).join('\n\n'),
          ),
        ],
        structuredContent: { jobs: shown } as unknown as JsonValue,
        isError: false,
      };
    },
  });
}

/** Waits until all jobs have ended, at most for a time. @throws KernelError `E_CANCELLED` */
async function allAtMost(
  ids: readonly string[],
  jobs: ToolJobs,
  waitMs: number,
  { clock, check }: Pick<ToolContext, 'clock' | 'check'>,
): Promise<void> {
  check();
  const time = Promise.withResolvers<void>();
  const timer = clock.setTimer(time.resolve, waitMs);
  try {
    await Promise.race([Promise.all(ids.map((id) => jobs.wait(id))), time.promise]);
  } finally {
    timer.cancel();
  }
  check();
}

function shownJob(id: string, job: ToolJob | undefined): { id: string; status: string; text: string | null } {
  const { status = 'cancelled', result } = job ?? {};
  return { id, status, text: result === undefined ? null : result.text };
}
