import type { RunView } from '../api/wire.ts';
import { CodeView } from '../ui/code-view.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { formatCount } from '../ui/format.ts';

/** The script of a run with the failing line marked. */
export function ScriptView({ run, script }: { readonly run: RunView; readonly script: string }) {
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
