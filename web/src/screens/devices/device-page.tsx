import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { deviceGroupPath, treePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { LoadedPage } from '~/ui/page.tsx';
import { TabLinks, useTab } from '~/ui/tab-links.tsx';
import { visibleText } from '~/ui/visible-text.ts';
import { BackupsTab } from './backups-tab.tsx';
import { AliveTest, Backup } from './bulk-dialog.tsx';
import { CommandsTab } from './commands-tab.tsx';
import { ComplianceTab } from './compliance-tab.tsx';
import { ConfigurationTab } from './configuration-tab.tsx';
import { DeviceState } from './device-state.tsx';
import { JobsTab } from './jobs-tab.tsx';

type Device = Outputs['configurationManager']['getDevice'];

const TABS = [
  { key: 'configuration', label: 'Configuration now' },
  { key: 'backups', label: 'Backups' },
  { key: 'compliance', label: 'Compliance' },
  { key: 'jobs', label: 'Jobs' },
  { key: 'commands', label: 'Commands' },
] as const;

const CONTENT = {
  configuration: ConfigurationTab,
  backups: BackupsTab,
  compliance: ComplianceTab,
  jobs: JobsTab,
  commands: CommandsTab,
};

/** One device: what its origin reports, and everything that the platform has about it. */
export function DevicePage() {
  const name = usePathParam('name');
  const device = useQuery(trpc.configurationManager.getDevice.queryOptions({ name }));
  const tab = useTab(TABS);
  const Content = CONTENT[tab];
  return (
    <LoadedPage
      query={device}
      title={name}
      path={<Link to="/devices">Devices</Link>}
      actions={() => <Actions name={name} />}
    >
      {(data) => (
        <>
          <Summary device={data} />
          <TabLinks label="About this device" tabs={TABS} current={tab} />
          <Content name={name} key={`${tab} ${name}`} />
        </>
      )}
    </LoadedPage>
  );
}

function Actions({ name }: { name: string }) {
  const may = useMay();
  const [open, setOpen] = useState<'alive' | 'backup'>();
  const close = () => setOpen(undefined);
  return (
    <>
      {may('configurationManager.isDeviceAlive') && (
        <Button onPress={() => setOpen('alive')}>Test whether it responds</Button>
      )}
      {may('configurationManager.backUpDevice') && (
        <Button variant="primary" onPress={() => setOpen('backup')}>
          Back up
        </Button>
      )}
      {open === 'alive' && <AliveTest names={[name]} onClose={close} />}
      {open === 'backup' && <Backup names={[name]} onClose={close} />}
    </>
  );
}

function Summary({ device }: { device: Device }) {
  const may = useMay();
  const { name } = device;
  const groups = useQuery(
    trpc.configurationManager.listGroupsOfDevice.queryOptions(
      { deviceName: name },
      { enabled: may('configurationManager.listGroupsOfDevice') },
    ),
  );
  const trees = useQuery(
    trpc.configurationManager.listDeviceTrees.queryOptions(
      { deviceName: name },
      { enabled: may('configurationManager.listDeviceTrees') },
    ),
  );
  return (
    <section className="card" aria-label="Summary">
      <Details
        entries={[
          ['State', <DeviceState key="state" status={device.status} />],
          ['Platform', visibleText(device.ostype || 'unknown')],
          ['Address', visibleText([device.host, device.port].filter(Boolean).join(' port '))],
          ['Origin', visibleText(device.origin ?? '')],
          [
            'Also reported by',
            visibleText(device.origins?.filter((one) => one !== device.origin).join(', ') ?? ''),
          ],
          ['Can', visibleText(device.actions?.join(', ') ?? '')],
          ['Groups', <Groups key="groups" groups={groups.data ?? []} />],
          [
            'Golden configs',
            trees.data?.length ? (
              <span key="trees" className="row">
                {trees.data.map(({ treeId, name: tree, version, nodePath }) => (
                  <Link key={`${treeId} ${version} ${nodePath}`} to={treePath(treeId)}>
                    {visibleText(`${tree} ${version}, ${nodePath}`)}
                  </Link>
                ))}
              </span>
            ) : (
              'none'
            ),
          ],
        ]}
      />
    </section>
  );
}

const Groups = ({ groups }: { groups: Outputs['configurationManager']['listGroupsOfDevice'] }) =>
  groups.length === 0 ? (
    'none'
  ) : (
    <span className="row">
      {groups.map(({ id, name }) => (
        <Link key={id} to={deviceGroupPath(id)}>
          {visibleText(name)}
        </Link>
      ))}
    </span>
  );
