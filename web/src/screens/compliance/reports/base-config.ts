import { useQuery } from '@tanstack/react-query';
import { type Outputs, trpc } from '~/api/client.ts';

type Report = Pick<Outputs['configurationManager']['getReport'], 'backupId' | 'deviceName' | 'timestamp'>;

const literal = (name: string) => `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;

/**
 * Reads the configuration that a report is about: that of its backup, otherwise the newest backup of the device that was
 * stored by the time of the report.
 *
 * @param report undefined: nothing is read
 */
export function useBaseConfig(report: Report | undefined) {
  const isByTime = report !== undefined && report.backupId === undefined;
  const search = useQuery(
    trpc.configurationManager.searchBackups.queryOptions(
      {
        options: {
          regex: true,
          filter: { name: literal(report?.deviceName ?? ''), dateTo: report?.timestamp },
          sort: 'date',
          order: -1,
          limit: 1,
        },
      },
      { enabled: isByTime },
    ),
  );
  const id = report?.backupId ?? search.data?.list[0]?.id;
  const backup = useQuery(
    trpc.configurationManager.getBackup.queryOptions({ id: id ?? '' }, { enabled: id !== undefined }),
  );
  return {
    backup,
    isMissing: isByTime && search.isSuccess && id === undefined,
    error: search.error ?? backup.error,
  };
}
