import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { InvocationResult, JsonObject } from '@ravi/kernel';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { ToolDetails } from '@ravi/api';
import { toolQuery } from '../api/queries.ts';
import { ravi } from '../api/client.ts';
import { initialValue } from '../forms/schema.ts';
import { SchemaForm } from '../forms/schema-form.tsx';
import { StatusBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { TextParts } from '../ui/pager.tsx';

/** Calls a tool with arguments from a form, through the same gates as any other call. */
export function TryTool({ tool }: { readonly tool: ToolDetails }) {
  const { name, inputSchema, kind, risk } = tool;
  const client = useQueryClient();
  const [args, setArgs] = useState<JsonObject>(() => initialValue(inputSchema));
  const call = useMutation({
    mutationFn: () => ravi.tools.call(name, { args }),
    onSettled: () => client.invalidateQueries({ queryKey: toolQuery(name).queryKey }),
  });
  if (kind === 'hosted')
    return <p className="muted">The provider of the model runs this tool; it cannot be called here.</p>;
  return (
    <div className="try-tool">
      <form
        className="panel stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!call.isPending) call.mutate();
        }}
      >
        <h2 className="panel-title">Arguments</h2>
        <SchemaForm schema={inputSchema} value={args} onChange={setArgs} />
        {risk !== undefined && risk !== 'safe' && (
          <p className="field-hint">
            A {risk} risk call may ask for approval first: decide it in the <Link href="/inbox">inbox</Link>.
          </p>
        )}
        <ErrorText error={call.error} />
        <div>
          <Button variant="primary" type="submit" icon={Play} isBusy={call.isPending}>
            {call.isPending ? 'Waiting for the result' : 'Call the tool'}
          </Button>
        </div>
      </form>
      <section className="panel" aria-label="Result" aria-live="polite">
        <h2 className="panel-title">Result {call.data !== undefined && <StatusBadge status={call.data.status} />}</h2>
        {call.data === undefined ? (
          <p className="muted">The result of the call appears here.</p>
        ) : (
          <Result result={call.data} />
        )}
      </section>
    </div>
  );
}

function Result({ result }: { readonly result: InvocationResult }) {
  const { structured, text, artifactRef, error } = result;
  return (
    <div className="stack">
      {error !== undefined && (
        <p>
          <code>{error.code}</code> {printable(error.message)}
        </p>
      )}
      {structured !== undefined && <JsonTree value={structured} />}
      {structured === undefined && error === undefined && (
        <TextParts text={text}>
          {(part) => (
            <pre className="prose" role="region" aria-label="Text" tabIndex={0}>
              {part}
            </pre>
          )}
        </TextParts>
      )}
      {artifactRef !== undefined && (
        <Link href={`/artifacts/${encodeURIComponent(artifactRef)}`}>Open the stored result</Link>
      )}
    </div>
  );
}
