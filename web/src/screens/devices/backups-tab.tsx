import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { proposalPath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { DiffView } from '~/ui/code/editor.tsx';
import { TextView } from '~/ui/code/text-view.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { exactTime, Time } from '~/ui/time.tsx';

type BackupEntry = Outputs['configurationManager']['searchBackups']['list'][number];

/** The second side of a comparison that is no backup: the device itself. */
const NOW = 'now';

/** The backups of a device, newest first; one can be shown, two can be compared, or one with the device as it is now. */
export function BackupsTab({ name }: { name: string }) {
  const [{ backup, before, after }, setUrl] = useUrlState();
  const may = useMay();
  const refresh = useRefresh(trpc.configurationManager.searchBackups.pathFilter());
  const [deleting, setDeleting] = useState<{ ids: readonly string[]; clear: () => void }>();
  const input = { filter: { name }, regex: false };
  useRefetchOn(trpc.configurationManager.searchBackups.pathFilter(), ({ topic }) => topic === 'backupStored');
  const columns: Column<BackupEntry>[] = [
    {
      key: 'date',
      header: 'Taken',
      cell: ({ id, date }) => (
        <Button variant="quiet" onPress={() => setUrl({ backup: id, before: undefined, after: undefined })}>
          <Time value={date} />
        </Button>
      ),
      field: 'date',
    },
    {
      key: 'compare',
      header: 'Compare',
      cell: ({ id }) => (
        <Button onPress={() => setUrl({ before: id, after: NOW, backup: undefined })}>
          With the device now
        </Button>
      ),
    },
    {
      key: 'seen',
      header: 'Last seen',
      cell: ({ lastSeen }) => <Time value={lastSeen} />,
      field: 'lastSeen',
    },
    {
      key: 'size',
      header: 'Bytes',
      isNumber: true,
      cell: ({ size }) => size?.toLocaleString('en') ?? '–',
      field: 'size',
    },
    {
      key: 'description',
      header: 'Description',
      cell: ({ description }) => <Description text={description ?? ''} />,
      field: 'description',
    },
  ];
  return (
    <div className="column">
      <ListView
        title="Backups"
        hasTextFilter={false}
        columns={columns}
        rowKey={({ id }) => id}
        path={trpc.configurationManager.searchBackups.pathKey()}
        input={input}
        request={{ options: { filter: { name: exactly(name) }, regex: true, sort: { date: -1 } } }}
        read={async (skip, limit) => {
          const { list, total } = await api.configurationManager.searchBackups.query({
            options: { ...input, start: skip, limit, sort: { date: -1 } },
          });
          return { rows: list.filter((one) => one.name === name), total };
        }}
        empty={
          <Empty title="There is no backup of this device">
            <p>Press “Back up” above.</p>
          </Empty>
        }
        bulk={(ids, clear) => (
          <>
            <Button
              onPress={() => {
                const [first, second] = ids;
                if (ids.length !== 2) return showToast('Select exactly two backups to compare.', 'warn');
                setUrl({ before: second, after: first, backup: undefined });
              }}
            >
              Compare
            </Button>
            {may('configurationManager.deleteBackups') && (
              <Button variant="danger" onPress={() => setDeleting({ ids, clear })}>
                Delete backups
              </Button>
            )}
          </>
        )}
      />
      {deleting && (
        <ConfirmDialog
          action={`Delete ${deleting.ids.length} ${deleting.ids.length === 1 ? 'backup' : 'backups'}`}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await api.configurationManager.deleteBackups.mutate({ backupIds: [...deleting.ids] });
            deleting.clear();
            setUrl({ backup: undefined, before: undefined, after: undefined });
            await refresh();
          }}
        >
          The stored configurations are deleted. Reports that were made of them stay.
        </ConfirmDialog>
      )}
      {backup && <BackupText id={backup} onClose={() => setUrl({ backup: undefined })} />}
      {before && after && (
        <Comparison
          device={name}
          before={before}
          after={after}
          onClose={() => setUrl({ before: undefined, after: undefined, swapped: undefined })}
        />
      )}
    </div>
  );
}

/** Why a backup was made. That of a remediation links to the proposal. */
function Description({ text }: { text: string }) {
  const [, words, id] = /^((?:before|after) remediation) ([0-9a-f]{24})$/.exec(text) ?? [];
  if (words === undefined || id === undefined) return text;
  return <Link {...proposalPath(id)}>{words}</Link>;
}

function BackupText({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(trpc.configurationManager.getBackup.queryOptions({ id }));
  return (
    <section className="card" aria-label="Backup">
      <div className="row">
        <h2>Backup</h2>
        <Button onPress={onClose}>Close</Button>
      </div>
      <QueryView query={query} loading="Loading the backup">
        {({ rawConfig, name, date }) => (
          <TextView label={`Backup of ${name}`} text={rawConfig} fileName={`${name}-${date}.txt`} />
        )}
      </QueryView>
    </section>
  );
}

type Stored = Outputs['configurationManager']['getBackup'];
type Current = Outputs['configurationManager']['getDeviceConfiguration'];
type Other = Stored | Current;

const isCurrent = (other: Other): other is Current => !('rawConfig' in other);
/** Returns an expression that matches this name and no other. */
const exactly = (name: string) => `^${name.replace(/[^\w-]/g, (char) => `\\${char}`)}$`;

const ofBackup = ({ rawConfig, date }: Stored) => ({ text: rawConfig, date });
const ofDevice = ({ config }: Current) => ({ text: config, date: undefined });

const nameOfSide = ({ date }: { date: string | undefined }) =>
  date === undefined ? 'the device now' : `backup of ${exactTime(date)}`;

type ComparisonProps = { device: string; before: string; after: string; onClose: () => void };

function Comparison({ device, before, after, onClose }: ComparisonProps) {
  const [{ swapped }, setUrl] = useUrlState();
  const isSwapped = swapped !== undefined;
  const heading = useRef<HTMLHeadingElement>(null);
  // The comparison is below its list, and the button that opened it may be gone with the selection.
  useEffect(() => heading.current?.focus(), []);
  const first = useQuery(trpc.configurationManager.getBackup.queryOptions({ id: before }));
  const second = useQuery(
    trpc.configurationManager.getBackup.queryOptions({ id: after }, { enabled: after !== NOW }),
  );
  const live = useQuery(
    trpc.configurationManager.getDeviceConfiguration.queryOptions(
      { name: device },
      { enabled: after === NOW, staleTime: 60_000, retry: false },
    ),
  );
  return (
    <section className="card" aria-label="Comparison">
      <div className="row">
        <h2 ref={heading} tabIndex={-1}>
          Comparison
        </h2>
        <Button onPress={() => setUrl({ swapped: isSwapped ? undefined : '1' })}>Swap sides</Button>
        <Button onPress={onClose}>Close</Button>
      </div>
      <QueryView query={first} loading="Loading the backup">
        {(older) => (
          <QueryView<Other> query={after === NOW ? live : second} loading="Loading the comparison">
            {(other) => {
              const sides = [ofBackup(older), isCurrent(other) ? ofDevice(other) : ofBackup(other)] as const;
              const [one, two] = isSwapped ? [sides[1], sides[0]] : sides;
              return one.text === two.text ? (
                <p>Both are the same.</p>
              ) : (
                <DiffView
                  label={`Configuration of ${device}`}
                  before={one.text}
                  after={two.text}
                  sides={[nameOfSide(one), nameOfSide(two)]}
                />
              );
            }}
          </QueryView>
        )}
      </QueryView>
    </section>
  );
}
