import { CircleAlert } from 'lucide-react';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { JsonTree } from '../ui/json-tree.tsx';

// Beyond this a tree with two levels open hides everything below it.
const manyCharacters = 1_000;

/** Outcome of a run, or the current text of its model. */
export function RunOutcomeView({ run, liveText }: { readonly run: RunDetails; readonly liveText: string }) {
  const error = run.error ?? run.outcome?.error;
  const answer = run.status === 'running' ? liveText : textOf(run.outcome?.result);
  const value = valueOf(run.outcome?.result);
  return (
    <>
      {error !== undefined && (
        <div className="notice" role="alert">
          <CircleAlert aria-hidden size={20} />
          <div>
            <p>{printable(error.message)}</p>
            <p className="code muted">{error.code}</p>
            {'suggestion' in error && <p>{printable(error.suggestion ?? '')}</p>}
          </div>
        </div>
      )}
      {answer !== '' && (
        <section className="answer panel" aria-label="Answer" aria-busy={run.status === 'running'}>
          {printable(answer)}
        </section>
      )}
      {value !== undefined && (
        <section className="panel" aria-label="Result">
          <h2 className="panel-title">Result</h2>
          <div className="result-value" role="region" aria-label="Value" tabIndex={0}>
            <JsonTree value={value} depth={JSON.stringify(value).length > manyCharacters ? 1 : 2} />
          </div>
        </section>
      )}
    </>
  );
}

function textOf(result: JsonValue | undefined): string {
  if (typeof result === 'string') return result;
  const text = isObject(result) ? result['text'] : undefined;
  return typeof text === 'string' ? text : '';
}

/** The value of a script or of an agent's output; nothing if there is only text. */
function valueOf(result: JsonValue | undefined): JsonValue | undefined {
  if (result === undefined || result === null || typeof result === 'string') return undefined;
  if (!isObject(result)) return result;
  if (typeof result['text'] === 'string' && typeof result['reason'] === 'string') return result['output'];
  return 'outputText' in result ? result['value'] : result;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
