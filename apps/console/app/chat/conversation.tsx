import type { HistoryEntry } from '@ravi/kernel';
import { Link } from 'wouter';
import { Moment } from '../ui/facts.tsx';
import { BlockView } from '../ui/block-view.tsx';

/** Messages of a conversation. Tool results are shown with the response that called the tools. */
export function Conversation({ entries }: { readonly entries: readonly HistoryEntry[] }) {
  return (
    <ol className="conversation">
      {entries.map(({ number, message, createdAt, runId }) => {
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
