import { CircleAlert, Download } from 'lucide-react';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { Button } from '../ui/button.tsx';
import { jsonStart } from '../ui/json-start.ts';
import { JsonTree } from '../ui/json-tree.tsx';
import { TextParts } from '../ui/pager.tsx';

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
          <TextParts text={answer}>{(part) => part}</TextParts>
        </section>
      )}
      {value !== undefined && (
        <section className="panel" aria-label="Result">
          <div className="panel-head">
            <h2 className="panel-title">Result</h2>
            {typeof value === 'object' && (
              <Button onClick={() => download(`${run.id}.json`, value)}>
                <Download aria-hidden size={16} /> Download JSON
              </Button>
            )}
          </div>
          <div className="result-value" role="region" aria-label="Value" tabIndex={0}>
            <JsonTree value={value} depth={jsonStart(value, manyCharacters).length > manyCharacters ? 1 : 2} />
          </div>
        </section>
      )}
    </>
  );
}

function download(fileName: string, value: JsonValue): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(value)], { type: 'application/json' }));
  link.download = fileName;
  link.click();
  // A browser may begin to read the content after the click has ended.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
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
