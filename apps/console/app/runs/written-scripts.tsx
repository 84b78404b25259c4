import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import type { Exchange } from '@ravi/api';
import { exchangesQuery } from '../api/queries.ts';
import { CodeView, CopyButton } from '../ui/code-view.tsx';
import { MoreRows } from '../ui/data-table.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';

/** The scripts of a run, as the model wrote them. */
export function WrittenScripts({ runId }: { readonly runId: string }) {
  const query = useInfiniteQuery(exchangesQuery(runId));
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const scripts = pages.flatMap(({ items }) => items).flatMap(scriptsOf);
        if (scripts.length === 0 && !query.hasNextPage) {
          return <EmptyState icon={ScrollText} title="The model has written no script" />;
        }
        return (
          <>
            <div className="stack">
              {scripts.map(({ step, code, language }, index) => (
                <section key={index} className="code-frame">
                  <header>
                    <span>Step {step}</span>
                    <span className="muted">{language}</span>
                    <CopyButton text={code} what={`the script of step ${step}`} />
                  </header>
                  <CodeView label={`Script ${index + 1}`} code={code} language={language} />
                </section>
              ))}
            </div>
            <MoreRows query={query} />
          </>
        );
      }}
    </Loaded>
  );
}

interface WrittenScript {
  readonly step: number;
  readonly code: string;
  readonly language: 'javascript' | 'python';
}

function scriptsOf({ step, answer }: Exchange): readonly WrittenScript[] {
  return answer.blocks.flatMap((block) => {
    if (block.type !== 'tool_use') return [];
    const { code, language } = block.arguments;
    return typeof code === 'string' ? [{ step, code, language: language === 'python' ? 'python' : 'javascript' }] : [];
  });
}
