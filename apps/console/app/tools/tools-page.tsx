import { useQuery } from '@tanstack/react-query';
import { Search, Wrench } from 'lucide-react';
import { useDeferredValue } from 'react';
import { useSearchParams } from 'wouter';
import type { ToolSummary } from '@ravi/api';
import { toolsQuery } from '../api/queries.ts';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatCount } from '../ui/format.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { TabView } from '../ui/tabs.tsx';
import { SavedScripts } from './saved-scripts.tsx';
import { searchTools } from './search-tools.ts';
import { Skills } from './skills.tsx';
import { ToolList } from './tool-list.tsx';

/** Page of the tools, snippets and skills. */
export function ToolsPage() {
  return (
    <>
      <PageHeader title="Tools" lead="Tools that agents and scripts can call." />
      <TabView
        label="Kinds"
        panels={[
          { id: 'tools', name: 'Tools', content: <Catalogue /> },
          { id: 'scripts', name: 'Snippets', content: <SavedScripts /> },
          { id: 'skills', name: 'Skills', content: <Skills /> },
        ]}
      />
    </>
  );
}

function Catalogue() {
  const query = useQuery(toolsQuery());
  const [search, setSearch] = useSearchParams();
  const words = search.get('q') ?? '';
  return (
    <>
      <div className="search">
        <Search aria-hidden size={18} />
        <input
          type="search"
          aria-label="Search tools"
          placeholder="Search by name, description or source"
          value={words}
          onChange={({ target }) => setSearch(target.value === '' ? {} : { q: target.value }, { replace: true })}
        />
      </div>
      <Loaded query={query}>{(tools) => <Found tools={tools} words={words} />}</Loaded>
    </>
  );
}

function Found({ tools, words }: { readonly tools: readonly ToolSummary[]; readonly words: string }) {
  const found = searchTools(tools, useDeferredValue(words));
  if (tools.length === 0) {
    return (
      <EmptyState icon={Wrench} title="No tool is loaded">
        Name a folder of tools in the configuration: <code>"tools": ["./tools"]</code>
      </EmptyState>
    );
  }
  return (
    <>
      <p className="result-count muted" role="status">
        {words === ''
          ? `${formatCount(tools.length)} tools`
          : `${formatCount(found.length)} of ${formatCount(tools.length)} tools`}
      </p>
      {found.length === 0 ? (
        <EmptyState icon={Search} title={`No tool matches “${words}”`} />
      ) : (
        <ToolList tools={found} />
      )}
    </>
  );
}
