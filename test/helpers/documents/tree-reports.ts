import { newId } from '#db/ids.ts';
import type { GradedGroup, HistoryRecord } from '#db/schemas/golden-config/compliance.ts';
import type { NewReport } from '#server/domains/golden-config/compliance/reports/new-report.ts';
import { storeReports } from '#server/domains/golden-config/compliance/reports/store-reports.service.ts';
import { openConfiguration } from '../configuration.ts';
import { newReport } from './reports.ts';

type Given = Parameters<typeof newReport>[0];

/** A service of its own for a test file about reports, with functions that call it. */
export async function openTreeReports() {
  const service = await openConfiguration();
  const { db, done } = service;

  const store = async (treeId: string, ...given: Given[]): Promise<NewReport[]> => {
    const reports = given.map((one) => newReport({ treeId, ...one }));
    await storeReports(db, reports);
    return reports;
  };
  /** A new tree with a version `initial`, and what was stored of it. */
  const treeWith = async (...given: Given[]): Promise<{ treeId: string; stored: NewReport[] }> => {
    const { id: treeId } = await done<{ id: string }>('POST', '/configs', {
      name: `tree ${newId()}`,
      deviceType: 'cisco-ios',
    });
    return { treeId, stored: await store(treeId, ...given) };
  };
  const grade = (treeId: string, options: object = {}, path = '/grade') =>
    done<GradedGroup[]>('POST', `/compliance_reports${path}`, { treeId, version: 'initial', options });
  const historyOf = (options: object) =>
    done<HistoryRecord[]>('POST', '/compliance_reports/history', { options });
  return { ...service, store, treeWith, grade, historyOf };
}

export const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

/** Device, score and grade of each record. */
export const shown = (groups: GradedGroup[]) =>
  groups.flatMap(({ records }) => records.map(({ deviceName, score, grade: of }) => [deviceName, score, of]));
