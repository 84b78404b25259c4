import type { RecordedEventData } from '@ravi/api';
import type { JsonObject } from '@ravi/kernel';

/** Returns the redacted arguments of a call as an object; as text under `preview` if they were cut. */
export function shownArguments({ argsPreview }: RecordedEventData['tool-call']): JsonObject {
  try {
    return JSON.parse(argsPreview) as JsonObject;
  } catch {
    return { preview: argsPreview };
  }
}

/** Returns the usage of a response as one flat object, as other formats show it. */
export function shownUsage(data: RecordedEventData['model-end']): object {
  const { step, provider, model, usage, cost } = data;
  return {
    step,
    provider,
    ...(model === undefined ? {} : { model }),
    ...usage,
    ...(cost === undefined ? {} : { cost }),
  };
}
