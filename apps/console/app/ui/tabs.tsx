import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';

/** One of the views of {@link TabView}. */
export interface TabPanel {
  readonly id: string;
  readonly name: string;
  /** Shown next to the name. */
  readonly count?: number;
  readonly content: ReactNode;
}

/** Tabs with views of the same thing. The open tab is part of the address, so that it survives a reload. */
export function TabView({ label, panels }: { readonly label: string; readonly panels: readonly TabPanel[] }) {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('view');
  const open = panels.some(({ id }) => id === wanted) ? wanted : panels[0]?.id;
  return (
    <Tabs.Root
      className="tabs"
      value={open ?? null}
      onValueChange={(id) => setSearch({ view: String(id) }, { replace: true })}
    >
      <Tabs.List className="tab-list" aria-label={label}>
        {panels.map(({ id, name, count }) => (
          <Tabs.Tab key={id} value={id} className="tab">
            {name}
            {count !== undefined && count > 0 && <span className="tab-count">{count}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {panels.map(({ id, content }) => (
        <Tabs.Panel key={id} value={id} className="tab-panel">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
