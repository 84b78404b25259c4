import { shutdownMessage } from './event-stream.ts';
import type { EventFormat } from './event-stream.ts';
import { createReceivedText, shownArguments, shownUsage } from './shown-data.ts';

/** Creates the AG-UI format of a run's events. The thread is the session. */
export function agUiEvents({
  id: runId,
  sessionId: threadId,
}: {
  readonly id: string;
  readonly sessionId: string;
}): EventFormat {
  let messageId: string | undefined;
  let isOver = false;
  let messages = 0;
  let hasStarted = false;
  const received = createReceivedText();
  const write = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

  function endMessage(): string {
    if (messageId === undefined) return '';
    const ended = write({ type: 'TEXT_MESSAGE_END', messageId });
    messageId = undefined;
    return ended;
  }

  function addText(delta: string, timestamp: number): string {
    if (delta === '') return '';
    let text = '';
    if (messageId === undefined) {
      messageId = `message-${++messages}`;
      text = write({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', timestamp });
    }
    return text + write({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta, timestamp });
  }

  return {
    interrupted: () => (isOver ? '' : endMessage() + write({ type: 'RUN_ERROR', message: shutdownMessage })),
    frame({ at: timestamp, type, data }) {
      switch (type) {
        case 'run-start': {
          // After a crash the run continues, and the text of a response that was cut off is void.
          received.discard();
          const isContinued = hasStarted && !isOver;
          [hasStarted, isOver] = [true, false];
          return endMessage() + (isContinued ? '' : write({ type: 'RUN_STARTED', threadId, runId, timestamp }));
        }
        case 'run-suspended':
        case 'run-accompanied':
          return '';
        case 'run-paused':
          isOver = true;
          return '';
        case 'step-start':
          return endMessage() + write({ type: 'STEP_STARTED', stepName: `step ${data.step}`, timestamp });
        case 'step-end':
          return endMessage() + write({ type: 'STEP_FINISHED', stepName: `step ${data.step}`, timestamp });
        case 'model-delta':
          received.add(data.text);
          return addText(data.text, timestamp);
        case 'model-text':
          return addText(received.complete(data.text), timestamp);
        case 'tool-call': {
          const { callId: toolCallId, tool: toolCallName } = data;
          return (
            endMessage() +
            write({ type: 'TOOL_CALL_START', toolCallId, toolCallName, timestamp }) +
            write({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(shownArguments(data)), timestamp }) +
            write({ type: 'TOOL_CALL_END', toolCallId, timestamp })
          );
        }
        case 'tool-result': {
          const { callId: toolCallId } = data;
          const content = JSON.stringify(data);
          const result = {
            type: 'TOOL_CALL_RESULT',
            messageId: `result-${toolCallId}`,
            toolCallId,
            content,
            timestamp,
          };
          return write({ ...result, role: 'tool' });
        }
        case 'model-end':
          return write({ type: 'CUSTOM', name: 'usage', value: shownUsage(data), timestamp });
        case 'run-end': {
          isOver = true;
          const { error } = data;
          const end =
            error === undefined
              ? { type: 'RUN_FINISHED', threadId, runId }
              : { type: 'RUN_ERROR', message: error.message };
          return endMessage() + write({ ...end, timestamp });
        }
        case 'model-retry':
          // The text of the failed attempt is void; the next one is a message of its own.
          received.discard();
          return endMessage() + write({ type: 'CUSTOM', name: type, value: data, timestamp });
        default:
          return write({ type: 'CUSTOM', name: type, value: data, timestamp });
      }
    },
  };
}
