import type { JsonObject } from '@ravi/kernel';
import type { EventFormat } from './event-stream.ts';
import { shownArguments } from './shown-arguments.ts';

/** Creates the AG-UI format of a run's events. The thread is the session. */
export function agUiEvents({
  id: runId,
  sessionId: threadId,
}: {
  readonly id: string;
  readonly sessionId: string;
}): EventFormat {
  let messageId: string | undefined;
  const write = (event: JsonObject): string => `data: ${JSON.stringify(event)}\n\n`;

  function endMessage(): string {
    if (messageId === undefined) return '';
    const ended = write({ type: 'TEXT_MESSAGE_END', messageId });
    messageId = undefined;
    return ended;
  }

  return {
    frame({ sequence, at: timestamp, type, data }) {
      const { callId: toolCallId = '', tool: toolCallName = '' } = data;
      switch (type) {
        case 'run':
          return data['status'] === 'running' ? write({ type: 'RUN_STARTED', threadId, runId, timestamp }) : '';
        case 'step': {
          const isStart = data['status'] === 'started';
          const stepName = `step ${data['step'] as number}`;
          return endMessage() + write({ type: isStart ? 'STEP_STARTED' : 'STEP_FINISHED', stepName, timestamp });
        }
        case 'model-delta': {
          let text = '';
          if (messageId === undefined) {
            messageId = `message-${sequence}`;
            text = write({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', timestamp });
          }
          return text + write({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: data['text'] ?? '', timestamp });
        }
        case 'tool-call':
          return (
            endMessage() +
            write({ type: 'TOOL_CALL_START', toolCallId, toolCallName, timestamp }) +
            write({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(shownArguments(data)), timestamp }) +
            write({ type: 'TOOL_CALL_END', toolCallId, timestamp })
          );
        case 'tool-result': {
          const content = JSON.stringify(data);
          const result = { type: 'TOOL_CALL_RESULT', messageId: `result-${sequence}`, toolCallId, content, timestamp };
          return write({ ...result, role: 'tool' });
        }
        case 'run-ended': {
          const { message } = (data['error'] ?? {}) as { readonly message?: string };
          const end =
            message === undefined ? { type: 'RUN_FINISHED', threadId, runId } : { type: 'RUN_ERROR', message };
          return endMessage() + write({ ...end, timestamp });
        }
        default:
          return write({ type: 'CUSTOM', name: type, value: data, timestamp });
      }
    },
  };
}
