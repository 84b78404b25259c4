import { sessionOf } from '@ravi/invoker';
import type { SessionOptions } from '@ravi/invoker';
import type { ProgressEvent, ToolContext } from '@ravi/kernel';

/** The session of a script that runs inside of a tool's call: same run, session and principal, and no more allowed. */
export function sessionWithin(context: ToolContext): SessionOptions {
  const { runId, sessionId, principal, callId } = context;
  const parent = sessionOf(context);
  return {
    runId,
    sessionId,
    principal,
    parentCallId: callId,
    // What the calling session does not allow is not allowed to its script either.
    ...(parent === undefined ? {} : { parent }),
    onProgress: (event) => forward(event, context),
  };
}

function forward(event: ProgressEvent, context: ToolContext): void {
  if (event.type === 'tool-call') context.progress({ message: `${event.tool} …` });
  if (event.type === 'tool-result') context.progress({ message: `${event.tool}: ${event.status}` });
}
