import { useInfiniteQuery } from '@tanstack/react-query';
import { MessagesSquare } from 'lucide-react';
import type { ToolSpec } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import type { Exchange } from '@ravi/api';
import { exchangesQuery } from '../api/queries.ts';
import { BlockView } from '../ui/block-view.tsx';
import { MoreRows } from '../ui/data-table.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatCount } from '../ui/format.ts';
import { JsonTree } from '../ui/json-tree.tsx';

/** Exact model requests and responses, step by step. */
export function ExchangesView({ runId }: { readonly runId: string }) {
  const query = useInfiniteQuery(exchangesQuery(runId));
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0) return <EmptyState icon={MessagesSquare} title="No request to a model is recorded" />;
        return (
          <>
            <div className="stack">
              {items.map((exchange, index) => (
                <ExchangeView key={index} exchange={exchange} isOpen={index === 0} />
              ))}
            </div>
            <MoreRows query={query} />
          </>
        );
      }}
    </Loaded>
  );
}

function ExchangeView({ exchange, isOpen }: { readonly exchange: Exchange; readonly isOpen: boolean }) {
  const { step, request, answer } = exchange;
  const end = answer.end?.type === 'finish' ? answer.end : undefined;
  const usage = end?.usage;
  return (
    <Disclosure
      className="panel exchange"
      isOpen={isOpen}
      summary={
        <>
          <strong>Step {step}</strong>
          <span className="muted">
            {[
              end?.model,
              counted(request.messages.length, 'message'),
              counted(request.tools.length, 'tool'),
              usage && `${formatCount(usage.inputTokens)} tokens in, ${formatCount(usage.outputTokens)} out`,
            ]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </span>
        </>
      }
    >
      {() => (
        <>
          {request.system !== undefined && (
            <section>
              <h2>System prompt</h2>
              <pre className="prose" role="region" aria-label={`System prompt of step ${step}`} tabIndex={0}>
                {printable(request.system)}
              </pre>
            </section>
          )}
          <section>
            <h2>Messages</h2>
            {request.messages.map(({ role, content }, index) => (
              <div key={index} className="message" data-role={role}>
                <h3>{role}</h3>
                {content.map((block, place) => (
                  <BlockView key={place} block={block} />
                ))}
              </div>
            ))}
          </section>
          <section>
            <h2>Tool definitions</h2>
            {request.tools.map((tool) => (
              <ToolSpecView key={tool.name} tool={tool} />
            ))}
          </section>
          <section>
            <h2>Answer</h2>
            {answer.blocks.map((block, place) => (
              <BlockView key={place} block={block} />
            ))}
          </section>
        </>
      )}
    </Disclosure>
  );
}

function ToolSpecView({ tool }: { readonly tool: ToolSpec }) {
  return (
    <Disclosure className="tool-spec" summary={<code>{tool.name}</code>}>
      {() => <JsonTree value={JSON.parse(JSON.stringify(tool))} depth={3} />}
    </Disclosure>
  );
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
