import type { JsonObject } from '@ravi/kernel';
import type { RunEvent } from '../../runs/run-event.ts';
import type { EventFormat } from './event-stream.ts';
import { shownArguments } from './shown-arguments.ts';

type Part = 'text' | 'reasoning';

/** Creates the AI SDK's UI message stream, protocol version 1: one message whose parts are the steps of the run. */
export function aiUiEvents(runId: string): EventFormat {
  let open: { readonly part: Part; readonly id: string } | undefined;
  let isStepOpen = false;
  const write = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`;

  function closePart(): string {
    if (open === undefined) return '';
    const { part, id } = open;
    open = undefined;
    return write({ type: `${part}-end`, id });
  }

  function delta(part: Part, { sequence, data }: RunEvent): string {
    let text = open?.part === part ? '' : closePart();
    if (open === undefined) {
      open = { part, id: `${part}-${sequence}` };
      text += write({ type: `${part}-start`, id: open.id });
    }
    return text + write({ type: `${part}-delta`, id: open.id, delta: data['text'] ?? '' });
  }

  function step(status: unknown): string {
    const isStart = status === 'started';
    if (isStart === isStepOpen) return '';
    isStepOpen = isStart;
    return closePart() + write({ type: isStart ? 'start-step' : 'finish-step' });
  }

  return {
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    end: 'data: [DONE]\n\n',
    frame(event) {
      const { type, data } = event;
      const { callId: toolCallId = '', tool: toolName = '' } = data;
      switch (type) {
        case 'run':
          return data['status'] === 'running' ? write({ type: 'start', messageId: runId }) : '';
        case 'step':
          return step(data['status']);
        case 'model-delta':
          return delta('text', event);
        case 'reasoning-delta':
          return delta('reasoning', event);
        case 'tool-call':
          return (
            closePart() +
            write({ type: 'tool-input-available', toolCallId, toolName, input: shownArguments(data), dynamic: true })
          );
        case 'tool-result':
          return data['status'] === 'ok'
            ? write({ type: 'tool-output-available', toolCallId, output: data, dynamic: true })
            : write({
                type: 'tool-output-error',
                toolCallId,
                errorText: data['errorCode'] ?? data['status'] ?? '',
                dynamic: true,
              });
        case 'run-ended': {
          const { message } = (data['error'] ?? {}) as { readonly message?: string };
          const failure = message === undefined ? '' : write({ type: 'error', errorText: message });
          return closePart() + step('ended') + failure + write({ type: 'finish' });
        }
        case 'tool-progress':
        case 'approval-requested':
        case 'approval-decided':
        case 'console':
        case 'artifact':
        case 'usage':
          return write({ type: `data-${type}`, data });
      }
    },
  };
}
