import '../compliance.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { problemOf } from '~/api/problem.ts';
import { devicePath, treePath } from '~/app/paths.ts';
import { usePathParam } from '~/app/routes.tsx';
import { useUrlState } from '~/app/url-state.ts';
import { Details } from '~/ui/details.tsx';
import { LoadedPage, PathLink } from '~/ui/page.tsx';
import { Loading, ProblemNote } from '~/ui/states.tsx';
import { Time } from '~/ui/time.tsx';
import { countsText } from '../grade.tsx';
import { useBaseConfig } from './base-config.ts';
import { Comparison } from './comparison.tsx';
import { ConfigView } from './config-view.tsx';
import { HistoryStrip, useRuns } from './history-strip.tsx';
import { IssueList } from './issue-list.tsx';
import { locateIssues } from './locate.ts';
import { ReportActions } from './report-actions.tsx';
import { ScoreCard } from './score-card.tsx';

type Report = Outputs['configurationManager']['getReport'];
type Node = Outputs['configurationManager']['getVersion']['root'];

/** Screen 6: one compliance report, the configuration beside the violated rules. */
export function ReportPage() {
  const reportId = usePathParam('reportId');
  const query = useQuery(trpc.configurationManager.getReport.queryOptions({ reportId }));
  return (
    <LoadedPage
      query={query}
      title={`Report ${reportId}`}
      titleOf={({ deviceName }) => `Report of ${deviceName}`}
      path={<PathLink to="/compliance">Compliance</PathLink>}
      actions={(report) => <Actions report={report} />}
    >
      {(report) => <Body key={report.id} report={report} />}
    </LoadedPage>
  );
}

function Actions({ report }: { report: Report }) {
  const runs = useRuns(report).data ?? [];
  const at = runs.findIndex(({ id }) => id === report.id);
  const previous = at === -1 ? runs.find(({ timestamp }) => timestamp < report.timestamp) : runs[at + 1];
  return <ReportActions report={report} previousId={previous?.id} />;
}

function Body({ report }: { report: Report }) {
  const [{ compare }] = useUrlState();
  const { treeId, version, nodePath, deviceName, timestamp, totals, status, error } = report;
  const tree = useQuery(trpc.configurationManager.getTree.queryOptions({ treeId }, { retry: false }));
  return (
    <>
      {status === 'notApplicable' && <div className="note">Not applicable: {error ?? 'unknown reason'}</div>}
      {status === 'error' && (
        <div className="note" data-tone="bad" role="alert">
          The device could not be checked: {error ?? 'unknown reason'}
        </div>
      )}
      <div className="columns three">
        <section className="card" aria-label="About this report">
          <Details
            entries={[
              [
                'Device',
                <Link key="device" {...devicePath(deviceName)}>
                  {deviceName}
                </Link>,
              ],
              [
                'Golden config',
                <Link key="tree" {...treePath(treeId)} search={{ version, node: nodePath }}>
                  {`${tree.data?.name ?? treeId}, ${version}, ${nodePath}`}
                </Link>,
              ],
              ['Checked', <Time key="time" value={timestamp} />],
              ['Found', status === 'complete' ? `${countsText(totals)}, ${totals.passes} met` : undefined],
              [
                'Not understood',
                report.parseWarnings.length > 0 ? `${report.parseWarnings.length} lines` : undefined,
              ],
            ]}
          />
        </section>
        {status === 'complete' && <ScoreCard report={report} />}
        <HistoryStrip report={report} />
      </div>
      {compare && <Comparison report={report} otherId={compare} />}
      {status === 'complete' && <ConfigAndRules report={report} />}
    </>
  );
}

function ConfigAndRules({ report }: { report: Report }) {
  const { issues, treeId, version } = report;
  const [{ issue }, setUrl] = useUrlState();
  const chosen = issue === undefined ? undefined : Number(issue);
  const setChosen = (index: number) => setUrl({ issue: String(index) });
  const tree = useQuery(
    trpc.configurationManager.getVersion.queryOptions({ treeId, version }, { retry: false }),
  );
  const { backup, isMissing, error } = useBaseConfig(report);
  const text = backup.data?.rawConfig;
  const lines = useMemo(() => (text === undefined ? [] : locateIssues(text, issues)), [text, issues]);
  const nodes = useMemo(() => (tree.data ? nodesOf(tree.data.root) : new Map<string, string>()), [tree.data]);
  return (
    <div className="report-split">
      <section className="column" aria-labelledby="rules">
        <h2 id="rules">Violated rules: {issues.length}</h2>
        <IssueList {...{ issues, lines, nodes, chosen }} ownSpecId={report.specId} onChoose={setChosen} />
      </section>
      <section className="column config-column" aria-labelledby="config">
        <h2 id="config">Configuration</h2>
        {text !== undefined ? (
          <>
            <p className="muted small">
              Backup of <Time value={backup.data?.date} />
              {report.backupId === undefined && ', the newest one when the device was checked'}. A marked line
              leads to its issue.
            </p>
            <ConfigView label="Configuration" {...{ text, issues, lines, chosen }} onChoose={setChosen} />
          </>
        ) : isMissing ? (
          <p className="muted">No backup from the time of this report is stored, or you may not see it.</p>
        ) : error ? (
          <ProblemNote problem={problemOf(error)} />
        ) : (
          <Loading what="Loading the configuration" />
        )}
      </section>
    </div>
  );
}

/** Returns the path of the node of each spec. */
function nodesOf(node: Node, above = '', found = new Map<string, string>()): Map<string, string> {
  const path = above ? `${above}/${node.name}` : node.name;
  const { configId } = node.attributes ?? {};
  if (configId) found.set(configId, path);
  for (const child of node.children ?? []) nodesOf(child, path, found);
  return found;
}
