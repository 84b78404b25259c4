import { Terminal } from 'lucide-react';
import type { ConsoleLine } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { CodeView, CopyButton } from '../ui/code-view.tsx';
import { formatCount } from '../ui/format.ts';
import { EmptyState } from '../ui/loaded.tsx';

/** The script of a run with the failing line marked. */
export function ScriptView({ run, script }: { readonly run: RunDetails; readonly script: string }) {
  const { error, definition } = run;
  const language = definition.language ?? 'javascript';
  const mark = error?.line === undefined ? {} : { mark: { line: error.line, message: error.message } };
  return (
    <section className="code-frame">
      <header>
        <span>{language}</span>
        <span className="muted">{formatCount(script.trimEnd().split('\n').length)} lines</span>
        <CopyButton text={script} what="the script" />
      </header>
      <CodeView label="Script" code={script} language={language} {...mark} />
    </section>
  );
}

/** Console output of the script. */
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
