import {
  Blocks,
  Folder,
  Inbox,
  ListTree,
  type LucideIcon,
  Play,
  Plug,
  Router,
  Settings,
  ShieldCheck,
  Terminal,
} from 'lucide-react';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  Jobs: Play,
  'My work': Inbox,
  Compliance: ShieldCheck,
  Devices: Router,
  Commands: Terminal,
  'Golden configs': ListTree,
  Automations: Blocks,
  Projects: Folder,
  Integrations: Plug,
  Admin: Settings,
};

/** The icon of an area in the navigation, beside its name. */
export function AreaIcon({ name }: { name: string }) {
  const Icon = ICONS[name];
  return Icon ? <Icon className="icon" /> : null;
}
