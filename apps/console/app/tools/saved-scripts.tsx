import { useQuery } from '@tanstack/react-query';
import { BookMarked } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { SnippetSummary } from '@ravi/api';
import { snippetQuery, snippetsQuery } from '../api/queries.ts';
import { CodeView } from '../ui/code-view.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { Facts, Moment } from '../ui/facts.tsx';

/** Snippets; each is a tool of its owner. */
export function SavedScripts() {
  const query = useQuery(snippetsQuery());
  return (
    <Loaded query={query}>
      {(scripts) =>
        scripts.length === 0 ? (
          <EmptyState icon={BookMarked} title="No snippet is saved">
            Save a script that succeeded with <code>ravi chain save</code>; it is then a tool.
          </EmptyState>
        ) : (
          <div className="stack">
            {scripts.map((script) => (
              <SavedScript key={script.name} script={script} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function SavedScript({ script }: { readonly script: SnippetSummary }) {
  const { name, version, description = '', language = 'unknown', tools = [], createdAt, isDamaged = false } = script;
  return (
    <Disclosure
      className="panel exchange"
      summary={
        <>
          <code>{printable(name)}</code>
          <span className="muted">{isDamaged ? 'damaged' : printable(description)}</span>
        </>
      }
    >
      {() => (
        <section>
          <Facts
            facts={{
              Version: String(version),
              Language: language,
              ...(createdAt === undefined ? {} : { Saved: <Moment at={createdAt} /> }),
              Calls: tools.length === 0 ? 'nothing' : tools.join(', '),
            }}
          />
          <Code name={name} />
        </section>
      )}
    </Disclosure>
  );
}

function Code({ name }: { readonly name: string }) {
  const query = useQuery(snippetQuery(name));
  return (
    <Loaded query={query}>
      {({ code, language }) => (
        <div className="code-frame">
          <CodeView label={`Script ${name}`} code={code} language={language} />
        </div>
      )}
    </Loaded>
  );
}
