import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useLiveEvents } from '~/api/live/use-live.ts';
import { useMay } from '~/api/use-may.ts';
import { proposalPath, reportPath } from '~/app/paths.ts';
import { searchWith } from '~/app/url-state.ts';
import { Button, LinkButton } from '~/ui/button.tsx';
import { Checkbox } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { csvOf, saveBytes, saveFile } from '~/ui/table/csv.ts';
import { endsBatch } from '../batches.tsx';

type Report = Outputs['configurationManager']['getReport'];

/** Re-check, compare, export, and the proposal of a report. */
export function ReportActions({ report, previousId }: { report: Report; previousId: string | undefined }) {
  const may = useMay();
  const [isProposing, setProposing] = useState(false);
  const proposals = useQuery(
    trpc.configurationManager.searchRemediations.queryOptions(
      { options: { filter: { reportId: report.id }, limit: 1 } },
      { enabled: may('configurationManager.searchRemediations') },
    ),
  );
  const [known] = proposals.data?.list ?? [];
  const canPropose = report.status === 'complete' && report.issues.length > 0;
  return (
    <>
      {/* What is known later comes first: the buttons at the right edge stay where they are. */}
      {previousId && (
        <LinkButton to="." search={searchWith({ compare: previousId })}>
          Compare with previous
        </LinkButton>
      )}
      {known && (
        <LinkButton {...proposalPath(known.id)} variant="primary">
          Open proposal
        </LinkButton>
      )}
      {!known && !proposals.isLoading && canPropose && may('configurationManager.proposeRemediations') && (
        <Button variant="primary" onPress={() => setProposing(true)}>
          Propose remediation
        </Button>
      )}
      {may('configurationManager.runCompliance') && <Recheck report={report} />}
      <ActionMenu
        label="Export"
        actions={[
          { label: 'Report as JSON', onAction: () => saveJson(report) },
          { label: 'Issues as CSV', onAction: () => saveCsv(report) },
          { label: 'Report as PDF', onAction: () => void savePdf(report.id).catch(showProblem) },
        ]}
      />
      {isProposing && <ProposeDialog report={report} onClose={() => setProposing(false)} />}
    </>
  );
}

/** Checks the device again and opens the new report as soon as it is stored. */
function Recheck({ report }: { report: Report }) {
  const navigate = useNavigate();
  const [batchId, setBatchId] = useState<string>();
  const run = useMutation(trpc.configurationManager.runCompliance.mutationOptions({ onError: showProblem }));
  const runOnBackup = useMutation(
    trpc.configurationManager.runComplianceOnBackups.mutationOptions({ onError: showProblem }),
  );
  const open = async (id: string) => {
    const { status } = await api.configurationManager.getBatchStatus.query({ batchId: id });
    if (status === 'running') return;
    setBatchId(undefined);
    const [next] = await api.configurationManager.getBatchReports.query({ batchId: id });
    if (next) void navigate(reportPath(next.id));
    else showToast('The run ended without a report.', 'warn');
  };
  useLiveEvents((event) => {
    if (batchId && endsBatch(event) && event.payload.batchId === batchId) open(batchId).catch(showProblem);
  });
  const start = async () => {
    const { treeId, version, nodePath, deviceName, backupId } = report;
    const node = { treeId, version, nodePath };
    const started = backupId
      ? await runOnBackup.mutateAsync({ treeInfo: node, backupIds: [backupId] })
      : await run.mutateAsync({ options: { ...node, devices: [deviceName] } });
    setBatchId(started.batchId);
    // A short run may have ended before its id was known here.
    await open(started.batchId);
  };
  const isPending = batchId !== undefined || run.isPending || runOnBackup.isPending;
  return (
    <Button isPending={isPending} onPress={() => void start().catch(() => undefined)}>
      {isPending ? 'Checking …' : 'Check again'}
    </Button>
  );
}

const SEVERITIES = ['error', 'warning', 'info'] as const;

function ProposeDialog({ report, onClose }: { report: Report; onClose: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [severities, setSeverities] = useState<readonly string[]>(SEVERITIES);
  const [isRemoving, setRemoving] = useState(true);
  const chosen = SEVERITIES.filter((name) => severities.includes(name));
  const matching = report.issues.filter(({ severity }) => severities.includes(severity)).length;
  const propose = useMutation(trpc.configurationManager.proposeRemediations.mutationOptions());
  return (
    <FormDialog
      title={`Propose a remediation of ${report.deviceName}`}
      action="Propose"
      isOpen
      onClose={onClose}
      isReady={matching > 0}
      onSubmit={async () => {
        const { data } = await propose.mutateAsync({
          options: { reportIds: [report.id], severities: chosen, removeDisallowed: isRemoving },
        });
        await queryClient.invalidateQueries(trpc.configurationManager.searchRemediations.pathFilter());
        const [proposal] = data;
        if (proposal) void navigate(proposalPath(proposal.id));
      }}
    >
      <p>
        Commands are calculated for {matching} of {report.issues.length} issues. Nothing is sent to the device
        before another person has approved the exact text.
      </p>
      <fieldset className="plain-set">
        <legend>Severities</legend>
        {SEVERITIES.map((name) => (
          <Checkbox
            key={name}
            label={name}
            isChecked={severities.includes(name)}
            onChange={(isChecked) =>
              setSeverities(isChecked ? [...severities, name] : severities.filter((one) => one !== name))
            }
          />
        ))}
      </fieldset>
      <Checkbox label="Remove disallowed lines" isChecked={isRemoving} onChange={setRemoving} />
    </FormDialog>
  );
}

const saveJson = (report: Report) =>
  saveFile(`report-${report.id}.json`, JSON.stringify(report, null, 2), 'application/json');

async function savePdf(reportId: string) {
  const file = await api.configurationManager.exportReportAsPdf.query({ reportId });
  saveBytes(`report-${reportId}.pdf`, file, 'application/pdf');
}

function saveCsv({ id, issues }: Report) {
  type Issue = Report['issues'][number];
  const column = (key: string, header: string, text: (issue: Issue) => string) => ({
    key,
    header,
    text,
    cell: text,
  });
  const columns = [
    column('severity', 'Severity', ({ severity }) => severity),
    column('type', 'Type', ({ type }) => type),
    column('message', 'Message', ({ message }) => message),
    column('parents', 'Parents', ({ parents }) => parents.join(' > ')),
    column('specId', 'Spec', ({ specId }) => specId),
  ];
  saveFile(`report-${id}.csv`, csvOf(columns, issues));
}
