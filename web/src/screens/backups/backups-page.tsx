import { useState } from 'react';
import { useMay } from '~/api/use-may.ts';
import { Button } from '~/ui/button.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { Page, PathLink } from '~/ui/page.tsx';
import { BackupNow } from './backup-now.tsx';
import { FindInBackups } from './find-in-backups.tsx';
import { Policy } from './policy.tsx';
import { Runs } from './runs.tsx';
import { Schedules } from './schedules.tsx';

const TABS = [
  { key: 'runs', title: 'Runs' },
  { key: 'schedules', title: 'Schedules' },
  { key: 'find', title: 'Search' },
  { key: 'policy', title: 'What is kept' },
] as const;

/** Backups of many devices: runs, schedules, the search over all configurations, and what is kept. */
export function BackupsPage() {
  const tab = useTab(TABS.map(({ key }) => key));
  const may = useMay();
  const [isStarting, setStarting] = useState(false);
  return (
    <Page
      title="Fleet backups"
      path={<PathLink to="/devices">Devices</PathLink>}
      actions={
        may('configurationManager.startFleetBackup') && (
          <Button variant="primary" onPress={() => setStarting(true)}>
            Back up devices
          </Button>
        )
      }
    >
      <LinkTabs label="Fleet backups" tabs={TABS} />
      {tab === 'runs' && <Runs />}
      {tab === 'schedules' && <Schedules />}
      {tab === 'find' && <FindInBackups />}
      {tab === 'policy' && <Policy />}
      {isStarting && <BackupNow onClose={() => setStarting(false)} />}
    </Page>
  );
}
