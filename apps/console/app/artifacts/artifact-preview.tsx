import { useQuery } from '@tanstack/react-query';
import { FileQuestionMark } from 'lucide-react';
import type { BlobStat, JsonValue } from '@ravi/kernel';
import { contentAddress, ravi } from '../api/client.ts';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { TabView } from '../ui/tabs.tsx';
import { parseCsv, tableOf } from './table-of.ts';
import type { TextTable } from './table-of.ts';
import { PdfView } from './pdf-view.tsx';
import { previewKindOf } from './preview-kind.ts';
import { TextRanges } from './text-ranges.tsx';
import { TextTableView } from './text-table-view.tsx';

// Larger JSON is shown as text, because a browser parses about 100 MB in a second.
const maxJsonBytes = 32_000_000;
const maxCsvBytes = 2_000_000;
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
        <img src={contentAddress(artifact.ref)} alt={`Preview of the artifact ${artifact.name ?? artifact.ref}`} />
      </div>
    );
  }
  if (kind === 'pdf') return <PdfView reference={artifact.ref} />;
  return <TextPreview artifact={artifact} kind={kind} />;
}

function TextPreview({ artifact, kind }: { readonly artifact: BlobStat; readonly kind: 'json' | 'csv' | 'text' }) {
  if (kind === 'csv') return <CsvPreview artifact={artifact} />;
  if (kind === 'json' && artifact.bytes <= maxJsonBytes) return <JsonPreview artifact={artifact} />;
  return <TextRanges artifact={artifact} />;
}

function CsvPreview({ artifact }: { readonly artifact: BlobStat }) {
  const query = useQuery({
    queryKey: ['artifact', artifact.ref, 'table'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${maxCsvBytes - 1}` };
      const response = await ravi.artifacts.content(artifact.ref, { signal, headers });
      const [columns = [], ...rows] = parseCsv(await response.text(), maxRows + 1);
      return { columns, rows };
    },
  });
  return <Loaded query={query}>{(table) => <Views artifact={artifact} table={table} />}</Loaded>;
}

function JsonPreview({ artifact }: { readonly artifact: BlobStat }) {
  const query = useQuery({
    queryKey: ['artifact', artifact.ref, 'json'],
    staleTime: Infinity,
    // Comparing a large value with its earlier state takes longer than parsing it.
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const response = await ravi.artifacts.content(artifact.ref, { signal });
      const value = parse(await response.text());
      return { value, table: value === undefined ? undefined : tableOf(value, maxRows) };
    },
  });
  return <Loaded query={query}>{(content) => <Views artifact={artifact} {...content} />}</Loaded>;
}

interface ViewsProps {
  readonly artifact: BlobStat;
  readonly table?: TextTable | undefined;
  readonly value?: JsonValue | undefined;
}

function Views({ artifact, table, value }: ViewsProps) {
  const text = { id: 'text', name: 'Text', content: <TextRanges artifact={artifact} /> };
  const tree = value !== undefined && {
    id: 'tree',
    name: 'Tree',
    content: (
      <div className="panel">
        <JsonTree value={value} />
      </div>
    ),
  };
  const rows = table !== undefined && { id: 'table', name: 'Table', content: <TextTableView table={table} /> };
  return <TabView label="Preview" panels={[rows, tree, text].filter((panel) => panel !== false)} />;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
