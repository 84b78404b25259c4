import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import type { ToolDetails, ToolMetrics } from '@ravi/api';
import { toolQuery } from '../api/queries.ts';
import { RiskBadge } from '../ui/badge.tsx';
import { CodeView } from '../ui/code-view.tsx';
import { Figures } from '../ui/facts.tsx';
import { formatCount, formatDuration } from '../ui/format.ts';
import { JsonTree } from '../ui/json-tree.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { TabView } from '../ui/tabs.tsx';
import { TryTool } from './try-tool.tsx';

/** Page of one tool: its declaration, metrics, and a form to try it. */
export function ToolPage({ name }: { readonly name: string }) {
  const query = useQuery(toolQuery(name));
  const risk = query.data?.risk;
  return (
    <>
      <PageHeader
        title={name}
        parent={<Link href="/tools">Tools</Link>}
        badge={risk === undefined ? undefined : <RiskBadge risk={risk} />}
        lead={query.data === undefined ? undefined : printable(query.data.description)}
      />
      <Loaded query={query}>{(tool) => <ToolContent tool={tool} />}</Loaded>
    </>
  );
}

function ToolContent({ tool }: { readonly tool: ToolDetails }) {
  const { metrics, stub, inputSchema, outputSchema } = tool;
  const schemas = { ...(inputSchema && { input: inputSchema }), ...(outputSchema && { output: outputSchema }) };
  return (
    <>
      {metrics !== undefined && <Metrics metrics={metrics} />}
      <TabView
        label="About this tool"
        panels={[
          { id: 'try', name: 'Try it', content: <TryTool tool={tool} /> },
          ...(stub === undefined
            ? []
            : [
                {
                  id: 'stub',
                  name: 'As the model sees it',
                  content: (
                    <section className="code-frame">
                      <CodeView label="Declaration" code={stub} language="typescript" />
                    </section>
                  ),
                },
              ]),
          {
            id: 'schema',
            name: 'Schemas',
            content: (
              <div className="panel">
                <JsonTree value={JSON.parse(JSON.stringify(schemas))} depth={4} />
              </div>
            ),
          },
        ]}
      />
    </>
  );
}

function Metrics({ metrics }: { readonly metrics: ToolMetrics }) {
  const { calls, p50, p95, errors, denials } = metrics;
  const share = (part: number): string => (calls === 0 ? '' : `${((100 * part) / calls).toFixed(1)} % of calls`);
  const figures = [
    { name: 'Calls', value: formatCount(calls), note: 'since the server began' },
    { name: 'Median', value: calls === 0 ? '–' : formatDuration(p50), note: 'half are faster' },
    { name: '95th percentile', value: calls === 0 ? '–' : formatDuration(p95), note: 'one in twenty is slower' },
    { name: 'Errors', value: formatCount(errors), note: share(errors) },
    { name: 'Denials', value: formatCount(denials), note: share(denials) },
  ];
  return <Figures figures={figures} />;
}
