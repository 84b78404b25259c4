import type { HistoryEntry } from '@ravi/kernel';
import { Link } from 'wouter';
import { Moment } from '../ui/facts.tsx';
import { BlockView } from '../ui/block-view.tsx';
import { Disclosure } from '../ui/disclosure.tsx';

/** Messages of a conversation. Tool results are shown with the response that called the tools. */
export function Conversation({ entries }: { readonly entries: readonly HistoryEntry[] }) {
  return (
    <ol className="conversation">
      {entries.map(({ number, message, createdAt, runId, details }) => {
        const summary = summaryIn(details);
        if (summary !== undefined) return <SummaryEntry key={number} text={summary} createdAt={createdAt} />;
        const isPerson = message.role === 'user' && message.content.every(({ type }) => type !== 'tool_result');
        return (
          <li key={number} className="chat-message" data-from={isPerson ? 'person' : 'agent'}>
            {message.content.map((block, index) => (
              <BlockView key={index} block={block} />
            ))}
            <p className="chat-note">
              {isPerson && 'You, '}
              <Moment at={createdAt} />
              {runId !== undefined && !isPerson && (
                <>
                  {' · '}
                  <Link href={`/runs/${encodeURIComponent(runId)}`}>Run</Link>
                </>
              )}
            </p>
          </li>
        );
      })}
    </ol>
  );
}

// The messages before it stay, because the conversation is whole; only the model reads the summary in their place.
function SummaryEntry({ text, createdAt }: { readonly text: string; readonly createdAt: number }) {
  return (
    <li className="chat-message" data-from="agent">
      <Disclosure summary="The model continues with a summary of what is above">
        {() => <BlockView block={{ type: 'text', text }} />}
      </Disclosure>
      <p className="chat-note">
        <Moment at={createdAt} />
      </p>
    </li>
  );
}

function summaryIn(details: HistoryEntry['details']): string | undefined {
  const { text } = (details?.['summary'] ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : undefined;
}
