import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { deviceGroupPath, sourcePath, treePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { LinkTabs, useTab } from '~/ui/link-tabs.tsx';
import { LoadedPage, Page, PathLink } from '~/ui/page.tsx';
import { Time } from '~/ui/time.tsx';
import { BackupsTab } from './backups-tab.tsx';
import { AliveTest, Backup } from './bulk-dialog.tsx';
import { CommandsTab } from './commands-tab.tsx';
import { ComplianceTab } from './compliance-tab.tsx';
import { ConfigurationTab } from './configuration-tab.tsx';
import { DeviceState } from './device-state.tsx';
import { ChangeDevice } from './host/change-device.tsx';
import { ChangeGroups } from './host/change-groups.tsx';
import { DeleteDevice, inventoryOf } from './host/delete-device.tsx';
import { customText, type Host } from './host/host-draft.ts';
import { RejectedKey } from './host/host-key.tsx';
import { JobsTab } from './jobs-tab.tsx';

type Device = Outputs['configurationManager']['getDevice'];

const TABS = [
  { key: 'configuration', title: 'Configuration now' },
  { key: 'backups', title: 'Backups' },
  { key: 'compliance', title: 'Compliance' },
  { key: 'jobs', title: 'Jobs' },
  { key: 'commands', title: 'Commands' },
] as const;

/** What is stored by the platform itself. */
const STORED_TABS = TABS.slice(1, 4);

const CONTENT = {
  configuration: ConfigurationTab,
  backups: BackupsTab,
  compliance: ComplianceTab,
  jobs: JobsTab,
  commands: CommandsTab,
};

/** What can be done with a device, in words. */
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['getConfig', 'read its configuration'],
  ['setConfig', 'change its configuration'],
  ['runCommand', 'run commands'],
  ['isAlive', 'test whether it responds'],
  ['checkSync', 'compare it with its orchestrator'],
]);

/** One device: what its origin reports, and everything that the platform has about it. */
export function DevicePage() {
  const name = usePathParam('name');
  const device = useQuery(trpc.configurationManager.getDevice.queryOptions({ name }));
  const may = useMay();
  // A tab must not lead to a refusal; one that a shared link names says which role is missing.
  const mayCommand = may('automationgateway.listHistory') || may('mop.runCommandDevices');
  const tab = useTab(TABS.map(({ key }) => key));
  const tabs = TABS.filter(({ key }) => key !== 'commands' || mayCommand || tab === key);
  const isUnknown = device.error !== null && problemOf(device.error).status === 404;
  const backups = useQuery(
    trpc.configurationManager.searchBackups.queryOptions(
      { options: { filter: { name }, regex: false, limit: 1 } },
      { enabled: isUnknown },
    ),
  );
  if (isUnknown && backups.data && backups.data.total > 0) return <UnlistedDevice name={name} />;
  const Content = CONTENT[tab];
  return (
    <LoadedPage
      query={device}
      title={name}
      path={<PathLink to="/devices">Devices</PathLink>}
      actions={(data) => <Actions device={data} />}
    >
      {(data) => (
        <>
          <Summary device={data} />
          <LinkTabs label="About this device" tabs={tabs} />
          <Content name={name} key={`${tab} ${name}`} />
        </>
      )}
    </LoadedPage>
  );
}

/** A device that no inventory lists, or no longer lists: what is stored about it. */
function UnlistedDevice({ name }: { name: string }) {
  const tab = useTab(STORED_TABS.map(({ key }) => key));
  const Content = CONTENT[tab];
  return (
    <Page title={name} path={<PathLink to="/devices">Devices</PathLink>}>
      <p className="note" data-tone="warn">
        No inventory lists this device: it cannot be reached. What is stored about it is shown.
      </p>
      <LinkTabs label="About this device" tabs={STORED_TABS} />
      <Content name={name} key={`${tab} ${name}`} />
    </Page>
  );
}

function Actions({ device }: { device: Device }) {
  const { name } = device;
  const may = useMay();
  const [open, setOpen] = useState<'alive' | 'backup' | 'change' | 'groups' | 'delete'>();
  const close = () => setOpen(undefined);
  const kind = inventoryOf(device);
  const { data: host, isLoading } = useHost(device);
  const mayChange = may('automationgateway.updateHost') && (host !== undefined || isLoading);
  return (
    <>
      {may('configurationManager.isDeviceAlive') && (
        <Button onPress={() => setOpen('alive')}>Test whether it responds</Button>
      )}
      {may('configurationManager.addGroupDevices') && (
        <Button onPress={() => setOpen('groups')}>Change groups</Button>
      )}
      {mayChange && (
        <Button onPress={() => setOpen('change')} isDisabled={isLoading}>
          Change
        </Button>
      )}
      {kind && may('automationgateway.deleteHost') && (
        <Button variant="danger" onPress={() => setOpen('delete')}>
          Delete
        </Button>
      )}
      {may('configurationManager.backUpDevice') && (
        <Button variant="primary" onPress={() => setOpen('backup')}>
          Back up
        </Button>
      )}
      {open === 'alive' && <AliveTest names={[name]} onClose={close} />}
      {open === 'backup' && <Backup names={[name]} onClose={close} />}
      {open === 'change' && kind && host && <ChangeDevice kind={kind} host={host} onClose={close} />}
      {open === 'groups' && <ChangeGroups name={name} onClose={close} />}
      {open === 'delete' && <DeleteDevice device={device} onClose={close} />}
    </>
  );
}

/** A device as its inventory stores it; without data while it is not known, and when only an orchestrator reports it. */
function useHost(device: Device) {
  const kind = inventoryOf(device);
  const isAllowed = useMay()('automationgateway.getHost');
  const input = { kind: kind ?? 'cli', name: device.name };
  return useQuery(
    trpc.automationgateway.getHost.queryOptions(input, { enabled: isAllowed && kind !== undefined }),
  );
}

/** When a device was last tested, or responded afterwards. */
const contactOf = ({ lastTest, lastSeen }: Host): string | undefined => {
  const times = [(lastTest as { time?: string } | undefined)?.time, lastSeen as string | null | undefined];
  return times
    .filter((time) => typeof time === 'string')
    .sort()
    .at(-1);
};

/** How a device is signed in to, in words. */
const loginText = ({ credential, username }: Host): string =>
  credential
    ? `the credential ${credential}`
    : username
      ? `its own login, ${username}`
      : 'no login is stored';

function Summary({ device }: { device: Device }) {
  const may = useMay();
  const { name, source } = device;
  const { data: host, isLoading } = useHost(device);
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
    <section
      className="card"
      aria-label="Summary"
      aria-busy={isLoading || groups.isLoading || trees.isLoading}
    >
      {host && <RejectedKey host={host} />}
      <Details
        entries={[
          [
            'State',
            <span key="state" className="row">
              <DeviceState status={device.status} />
              {host && device.status !== 'UNKNOWN' && (
                <span className="muted small">
                  <Time value={contactOf(host)} />
                </span>
              )}
            </span>,
          ],
          ['Platform', device.ostype || 'unknown'],
          ['Address', [device.host, device.port].filter(Boolean).join(' port ')],
          ['Origin', device.origin ?? ''],
          ['Also reported by', device.origins?.filter((one) => one !== device.origin).join(', ') ?? ''],
          [
            'What can be done',
            device.actions?.map((action) => ACTIONS.get(action) ?? action).join(', ') ?? '',
          ],
          ['Signs in with', host ? loginText(host) : isLoading && '…'],
          ['Tags', (device.tags as string[] | undefined)?.join(', ') ?? ''],
          ['Site', String(device.site ?? '')],
          ...Object.entries((device.custom ?? {}) as Record<string, unknown>).map(
            ([field, value]): [string, string] => [field, customText(value)],
          ),
          [
            'Managed by',
            typeof source === 'string' && (
              <Link key="source" {...sourcePath(source)}>
                {source}
              </Link>
            ),
          ],
          [
            'Changes',
            may('audit.listEntries') && (
              <Link key="audit" to="/admin/audit" search={{ document: name }}>
                who changed it
              </Link>
            ),
          ],
          ['Groups', <Groups key="groups" groups={groups.data ?? []} />],
          [
            'Golden configs',
            trees.data?.length ? (
              <span key="trees" className="row">
                {trees.data.map(({ treeId, name: tree, version, nodePath }) => (
                  <Link key={`${treeId} ${version} ${nodePath}`} {...treePath(treeId)}>
                    {`${tree} ${version}, ${nodePath}`}
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
        <Link key={id} {...deviceGroupPath(id)}>
          {name}
        </Link>
      ))}
    </span>
  );
