import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Menu, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApprovalEvents, useWaitingCount } from '../api/approvals.ts';
import type { Connection } from '../api/approvals.ts';
import { settingsQuery } from '../api/queries.ts';
import { IconButton } from '../ui/button.tsx';
import { Account } from './account.tsx';
import { Navigation } from './navigation.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** Frame around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const connection = useApprovalEvents();
  const waiting = useWaitingCount();

  useEffect(() => {
    document.documentElement.dataset['waiting'] = String(waiting);
  }, [waiting]);

  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <aside className="sidebar">
        <Brand />
        <Navigation />
        <SidebarFoot connection={connection} />
      </aside>
      <header className="topbar">
        <Dialog.Root open={isOpen} onOpenChange={setOpen}>
          <Dialog.Trigger
            render={<IconButton label={waiting > 0 ? `Menu, ${waiting} waiting` : 'Menu'} icon={Menu} />}
          />
          <Dialog.Portal>
            <Dialog.Backdrop className="backdrop" />
            <Dialog.Popup className="drawer">
              <div className="drawer-head">
                <Dialog.Title render={<Brand />} />
                <Dialog.Close render={<IconButton label="Close the menu" icon={X} />} />
              </div>
              <Navigation onNavigate={() => setOpen(false)} />
              <SidebarFoot connection={connection} />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <Brand />
        {connection === 'lost' && (
          <p className="connection" data-state="lost" role="status">
            Offline
          </p>
        )}
        {waiting > 0 && (
          <Link className="topbar-inbox" href="/inbox">
            {waiting} to decide
          </Link>
        )}
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Brand() {
  return (
    <div className="brand">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden>
        <rect width="32" height="32" rx="9" className="brand-ground" />
        <path d="M10.5 23V9.500h6.900a4.500 4.500 0 0 1 1.300 8.800L22 23M10.500 18.400h8" className="brand-letter" />
      </svg>
      <span>Ravi</span>
    </div>
  );
}

const words: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
};

function SidebarFoot({ connection }: { readonly connection: Connection }) {
  const { data } = useQuery(settingsQuery());
  return (
    <div className="sidebar-foot">
      {data?.model !== undefined && (
        <p className="sidebar-model" title={data.model.id}>
          <span className="muted">{data.model.isDemo ? 'Demo model' : 'Model'}</span>
          <span>{data.model.id}</span>
        </p>
      )}
      <Account />
      <div className="sidebar-state">
        <p className="connection" data-state={connection} role="status">
          {words[connection]}
        </p>
        <ThemeSwitch />
      </div>
    </div>
  );
}
