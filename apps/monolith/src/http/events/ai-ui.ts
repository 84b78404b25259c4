import { shutdownMessage } from './event-stream.ts';
import type { EventFormat } from './event-stream.ts';
import { createReceivedText, shownArguments, shownUsage } from './shown-data.ts';

type Part = 'text' | 'reasoning';

/** Creates the AI SDK's UI message stream, protocol version 1: one message whose parts are the steps of the run. */
export function aiUiEvents(runId: string): EventFormat {
  let open: { readonly part: Part; readonly id: string } | undefined;
  let isStepOpen = false;
  let isOver = false;
  let parts = 0;
  let hasStarted = false;
  const received = { text: createReceivedText(), reasoning: createReceivedText() };
  const write = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

  function closePart(): string {
    if (open === undefined) return '';
    const { part, id } = open;
    open = undefined;
    return write({ type: `${part}-end`, id });
  }

  function delta(part: Part, piece: string): string {
    if (piece === '') return '';
    let text = open?.part === part ? '' : closePart();
    if (open === undefined) {
      open = { part, id: `${part}-${++parts}` };
      text += write({ type: `${part}-start`, id: open.id });
    }
    return text + write({ type: `${part}-delta`, id: open.id, delta: piece });
  }

  function step(isStart: boolean): string {
    if (isStart === isStepOpen) return '';
    isStepOpen = isStart;
    return closePart() + write({ type: isStart ? 'start-step' : 'finish-step' });
  }

  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    end: 'data: [DONE]\n\n',
    interrupted: () => (isOver ? 'data: [DONE]\n\n' : write({ type: 'error', errorText: shutdownMessage })),
    frame({ type, data }) {
      switch (type) {
        case 'run-start': {
          // After a crash the run continues, and the text of a response that was cut off is void.
          received.text.discard();
          received.reasoning.discard();
          const isContinued = hasStarted && !isOver;
          [hasStarted, isOver] = [true, false];
          return closePart() + step(false) + (isContinued ? '' : write({ type: 'start', messageId: runId }));
        }
        case 'run-suspended':
        case 'run-accompanied':
          return '';
        case 'run-paused':
          isOver = true;
          return '';
        case 'step-start':
        case 'step-end':
          return step(type === 'step-start');
        case 'model-delta':
          received.text.add(data.text);
          return delta('text', data.text);
        case 'reasoning-delta':
          received.reasoning.add(data.text);
          return delta('reasoning', data.text);
        case 'model-text': {
          const { text, reasoning = '' } = data;
          return (
            delta('reasoning', received.reasoning.complete(reasoning)) + delta('text', received.text.complete(text))
          );
        }
        case 'tool-call': {
          const { callId: toolCallId, tool: toolName } = data;
          const input = shownArguments(data);
          return closePart() + write({ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true });
        }
        case 'tool-result': {
          const { callId: toolCallId, status, errorCode: errorText = status } = data;
          return status === 'ok'
            ? write({ type: 'tool-output-available', toolCallId, output: data, dynamic: true })
            : write({ type: 'tool-output-error', toolCallId, errorText, dynamic: true });
        }
        case 'model-end':
          return write({ type: 'data-usage', data: shownUsage(data) });
        case 'run-end': {
          isOver = true;
          const failure = data.error === undefined ? '' : write({ type: 'error', errorText: data.error.message });
          return closePart() + step(false) + failure + write({ type: 'finish' });
        }
        case 'model-retry':
          // The text of the failed attempt is void; the next one is a part of its own.
          received.text.discard();
          received.reasoning.discard();
          return closePart() + write({ type: `data-${type}`, data: { ...data, error: { ...data.error } } });
        case 'tool-retry':
          return write({ type: `data-${type}`, data: { ...data, error: { ...data.error } } });
        case 'tool-progress':
        case 'approval-requested':
        case 'approval-decided':
        case 'console':
        case 'artifact':
        case 'handoff':
        case 'run-input':
        case 'completion-requested':
        case 'completion-ended':
        case 'model-lent':
          return write({ type: `data-${type}`, data });
      }
    },
  };
}
