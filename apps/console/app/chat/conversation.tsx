import type { Turn } from '@ravi/kernel';
import { Link } from 'wouter';
import { Moment } from '../ui/facts.tsx';
import { BlockView } from '../ui/block-view.tsx';

/** Turns of a conversation. Tool results are shown with the response that called the tools. */
export function Conversation({ turns }: { readonly turns: readonly Turn[] }) {
  return (
    <ol className="conversation">
      {turns.map(({ number, message, createdAt, runId }) => {
        const isPerson = message.role === 'user' && message.content.every(({ type }) => type !== 'tool_result');
        return (
          <li key={number} className="turn" data-from={isPerson ? 'person' : 'agent'}>
            {message.content.map((block, index) => (
              <BlockView key={index} block={block} />
            ))}
            <p className="turn-note">
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
