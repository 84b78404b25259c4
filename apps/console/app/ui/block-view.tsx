import { Brain, CornerDownLeft, Wrench } from 'lucide-react';
import { textOf } from '@ravi/kernel';
import type { ContentBlock } from '@ravi/kernel';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import { jsonLine } from './format.ts';
import { JsonTree } from './json-tree.tsx';
import { TextParts } from './pager.tsx';

/** One content block of a message. */
export function BlockView({ block }: { readonly block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return <TextParts text={block.text}>{(part) => <p className="block-text">{part}</p>}</TextParts>;
    case 'reasoning':
      return (
        <details className="block">
          <summary>
            <Brain aria-hidden size={15} /> Reasoning
          </summary>
          <p className="block-text muted">
            {block.text === '' ? 'Only its provider can read it.' : printable(block.text)}
          </p>
        </details>
      );
    case 'tool_use':
      return (
        <details className="block">
          <summary>
            <Wrench aria-hidden size={15} /> <code>{printable(block.name)}</code>
            <span className="muted">{jsonLine(block.arguments, 60)}</span>
          </summary>
          <JsonTree value={block.arguments} />
        </details>
      );
    case 'tool_result':
      return (
        <details className="block" data-failed={block.isError}>
          <summary>
            <CornerDownLeft aria-hidden size={15} /> {block.isError ? 'Failed' : 'Result'}
            <span className="muted">{jsonLine(textOf(block.content), 60)}</span>
          </summary>
          {block.content.map((inner, index) => (
            <BlockView key={index} block={inner} />
          ))}
        </details>
      );
    case 'error':
      return <p className="error-text">{printable(block.message)}</p>;
    case 'data':
      return <JsonTree value={block.data} />;
    case 'unknown':
      return <JsonTree value={block.raw} depth={0} />;
    case 'image':
    case 'audio':
    case 'document':
      return block.source.kind === 'blob' ? (
        <Link href={`/artifacts/${encodeURIComponent(block.source.ref)}`}>{block.name ?? block.mediaType}</Link>
      ) : (
        <p className="muted">{block.name ?? block.mediaType}</p>
      );
  }
}
