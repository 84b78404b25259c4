import { Link, useLocation } from 'wouter';
import { useWaitingCount } from '../api/approvals.ts';
import { useIsAdmin } from '../api/caller.ts';
import { pageGroups } from './pages.ts';

/** Links to every page. `onNavigate` is called when a link is followed. */
export function Navigation({ onNavigate }: { readonly onNavigate?: () => void }) {
  const [location] = useLocation();
  const waiting = useWaitingCount();
  const isAdmin = useIsAdmin();
  const shownGroups = pageGroups.map((group) => group.filter(({ isForAdmins = false }) => isAdmin || !isForAdmins));
  return (
    <nav className="navigation" aria-label="Pages">
      {shownGroups.map((group) => (
        <ul key={group[0]?.path}>
          {group.map(({ path, name, icon: Icon }) => (
            <li key={path}>
              <Link
                href={path}
                {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
                aria-current={location === path || location.startsWith(`${path}/`) ? 'page' : undefined}
              >
                <Icon aria-hidden size={18} strokeWidth={1.75} />
                <span>{name}</span>
                {path === '/inbox' && waiting > 0 && (
                  <span className="count" aria-label={`${waiting} waiting`} role="img">
                    {waiting}
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}
