import { Terminal } from 'lucide-react';
import type { ConsoleLine } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { EmptyState } from '../ui/empty-state.tsx';

/** What the script wrote to its console. */
export function ConsoleOutput({ lines }: { readonly lines: readonly ConsoleLine[] }) {
  if (lines.length === 0) return <EmptyState icon={Terminal} title="Nothing was written to the console" />;
  return (
    <div className="console" role="log" aria-label="Console output" tabIndex={0}>
      {lines.map(({ level, text }, index) => (
        <div key={index} className="console-line" data-level={level}>
          <span className="console-level">{level}</span>
          <span>{printable(text)}</span>
        </div>
      ))}
    </div>
  );
}
