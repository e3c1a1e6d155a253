import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { Channels } from './channels.tsx';
import { Deliveries } from './deliveries.tsx';
import { Rules } from './rules.tsx';

const TABS = [
  { key: 'rules', title: 'Rules' },
  { key: 'channels', title: 'Channels' },
  { key: 'deliveries', title: 'Deliveries' },
] as const;

const tabs = <LinkTabs label="Notifications" tabs={TABS} />;

/** Which events are sent where, and the status of their delivery. */
export function NotificationsPage() {
  const tab = useTab(TABS.map(({ key }) => key));
  if (tab === 'channels') return <Channels tabs={tabs} />;
  if (tab === 'deliveries') return <Deliveries tabs={tabs} />;
  return <Rules tabs={tabs} />;
}
