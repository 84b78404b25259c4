import {
  AlarmClock,
  Bot,
  Brain,
  Clock,
  FileBox,
  Gauge,
  Hourglass,
  Inbox,
  ListTree,
  MessagesSquare,
  PlugZap,
  Radio,
  Settings,
  Wrench,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';

/** A page of the navigation. */
export interface PageLink {
  readonly path: string;
  readonly name: string;
  readonly icon: LucideIcon;
  /** True if its data needs the role `admin`. */
  readonly isForAdmins?: boolean;
}

/** The navigation, in groups. */
export const pageGroups: readonly (readonly PageLink[])[] = [
  [
    { path: '/inbox', name: 'Inbox', icon: Inbox },
    { path: '/runs', name: 'Runs', icon: ListTree },
    { path: '/chat', name: 'Chat', icon: MessagesSquare },
  ],
  [
    { path: '/agents', name: 'Agents', icon: Bot },
    { path: '/tools', name: 'Tools', icon: Wrench },
    { path: '/servers', name: 'Servers', icon: PlugZap },
    { path: '/artifacts', name: 'Artifacts', icon: FileBox },
    { path: '/jobs', name: 'Jobs', icon: Clock },
    { path: '/channels', name: 'Channels', icon: Radio },
    { path: '/memories', name: 'Memories', icon: Brain },
    { path: '/triggers', name: 'Triggers', icon: AlarmClock },
  ],
  [
    { path: '/budgets', name: 'Budgets', icon: Gauge },
    { path: '/queue', name: 'Queue', icon: Hourglass, isForAdmins: true },
    { path: '/settings', name: 'Settings', icon: Settings },
  ],
];
