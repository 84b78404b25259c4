import { useQuery } from '@tanstack/react-query';
import { FileQuestionMark } from 'lucide-react';
import { useState } from 'react';
import type { BlobStat, JsonValue } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { contentAddress, ravi } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatBytes, formatCount } from '../ui/format.ts';
import { JsonTree } from '../ui/json-tree.tsx';
import { TabView } from '../ui/tabs.tsx';
import { parseCsv, tableOf } from './table-of.ts';
import { PdfView } from './pdf-view.tsx';
import { previewKindOf } from './preview-kind.ts';
import { TextTableView } from './text-table-view.tsx';

const maxTextBytes = 2_000_000;
const maxRows = 200;

/** Shows the content of an artifact, as far as a browser can. */
export function ArtifactPreview({ artifact }: { readonly artifact: BlobStat }) {
  const kind = previewKindOf(artifact.mediaType);
  if (kind === 'none') {
    return (
      <EmptyState icon={FileQuestionMark} title={`There is no preview for ${artifact.mediaType}`}>
        Download it to open it in another program.
      </EmptyState>
    );
  }
  if (kind === 'image') {
    return (
      <div className="preview image">
        <img src={contentAddress(artifact.ref)} alt={`Preview of the artifact ${artifact.ref}`} />
      </div>
    );
  }
  if (kind === 'pdf') return <PdfView reference={artifact.ref} />;
  return <TextPreview artifact={artifact} kind={kind} />;
}

interface TextPreviewProps {
  readonly artifact: BlobStat;
  readonly kind: 'json' | 'csv' | 'text';
}

function TextPreview({ artifact, kind }: TextPreviewProps) {
  const query = useQuery({
    queryKey: ['artifact', artifact.ref, 'text'],
    staleTime: Infinity,
    queryFn: ({ signal }) => readStart(artifact.ref, signal),
  });
  const isCut = artifact.bytes > maxTextBytes;
  return (
    <Loaded query={query}>
      {(text) => (
        <>
          {isCut && (
            <p className="muted">
              The first {formatBytes(maxTextBytes)} of {formatBytes(artifact.bytes)}.
            </p>
          )}
          <TextContent text={text} kind={isCut && kind === 'json' ? 'text' : kind} />
        </>
      )}
    </Loaded>
  );
}

function TextContent({ text, kind }: { readonly text: string; readonly kind: TextPreviewProps['kind'] }) {
  if (kind === 'csv') {
    const [columns = [], ...rows] = parseCsv(text, maxRows + 1);
    return <TextTableView table={{ columns, rows }} />;
  }
  const value = kind === 'json' ? parse(text) : undefined;
  if (value === undefined) return <PlainText text={text} />;
  const table = tableOf(value, maxRows);
  const tree = (
    <div className="panel">
      <JsonTree value={value} />
    </div>
  );
  if (table === undefined) return tree;
  return (
    <TabView
      label="Preview"
      panels={[
        { id: 'table', name: 'Table', content: <TextTableView table={table} /> },
        { id: 'tree', name: 'Tree', content: tree },
        { id: 'text', name: 'Text', content: <PlainText text={text} /> },
      ]}
    />
  );
}

const partCharacters = 100_000;

// A browser takes seconds to lay out megabytes of text at once.
function PlainText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(partCharacters);
  return (
    <>
      <pre className="prose preview" role="region" aria-label="Preview" tabIndex={0}>
        {printable(text.slice(0, shown))}
      </pre>
      {text.length > shown && (
        <p className="muted">
          {formatCount(shown)} of {formatCount(text.length)} characters.{' '}
          <Button onClick={() => setShown(shown + partCharacters)}>Show more</Button>
        </p>
      )}
    </>
  );
}

async function readStart(ref: string, signal: AbortSignal): Promise<string> {
  const response = await ravi.artifacts.content(ref, { signal, headers: { range: `bytes=0-${maxTextBytes - 1}` } });
  return response.text();
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
