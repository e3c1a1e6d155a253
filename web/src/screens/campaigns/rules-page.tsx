import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { download } from '~/api/download.ts';
import { useRefetchOn } from '~/api/live/use-live.ts';
import { devicePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { Badge, type Tone } from '~/ui/badge.tsx';
import { Button, LinkButton } from '~/ui/button.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { Page, PathLink } from '~/ui/page.tsx';
import { Empty, QueryView } from '~/ui/states.tsx';
import { saveBytes } from '~/ui/table/csv.ts';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { ListView } from '~/ui/table/list-page.tsx';
import { SaveCsv } from '~/ui/table/save-csv.tsx';

type Rule = Outputs['configurationManager']['listRules']['rules'][number];
type Tree = Outputs['configurationManager']['listTrees'][number];
type Part = { treeId: string; version?: string };

const TONES: Record<Rule['severity'], Tone> = { error: 'bad', warning: 'warn', info: 'info' };

/** A rule as one text, with the lines above it. */
const ruleText = ({ parents, rule }: Rule) => [...parents, rule].join(' › ');

/** The rules of a golden config, the most violated first, each with the devices that violate it. */
export function RulesPage() {
  const trees = useQuery(trpc.configurationManager.listTrees.queryOptions({}));
  return (
    <Page title="Rules and devices" path={<PathLink to="/compliance">Compliance</PathLink>}>
      <QueryView query={trees} loading="Loading golden configs">
        {(list) =>
          list.length === 0 ? (
            <Empty title="There is no golden config yet">
              <LinkButton to="/trees">Golden configs</LinkButton>
            </Empty>
          ) : (
            <Rules trees={list} />
          )
        }
      </QueryView>
    </Page>
  );
}

const SUBJECT = ['tree'];

function Rules({ trees }: { trees: readonly Tree[] }) {
  const [{ q, tree, version }, setUrl] = useUrlState();
  const [opened, setOpened] = useState<Rule>();
  const chosen = trees.find(({ id }) => id === tree) ?? (trees[0] as Tree);
  const part: Part = { treeId: chosen.id, ...(version && { version }) };
  const input = { ...part, ...(q && { text: q }) };
  useRefetchOn(
    trpc.configurationManager.listRules.pathFilter(),
    ({ topic }) => topic === 'complianceBatchFinished' || topic === 'complianceReportsStored',
  );
  const choice = (value: string, label = value) => ({ value, label: label });
  return (
    <>
      <div className="columns narrow">
        <SelectField
          label="Golden config"
          value={chosen.id}
          choices={trees.map(({ id, name }) => choice(id, name))}
          onChange={(id) => setUrl({ tree: id, version: undefined })}
        />
        <SelectField
          label="Version"
          value={version ?? ''}
          choices={[
            choice('', 'The newest report of each device'),
            ...chosen.versions.map((name) => choice(name)),
          ]}
          onChange={(name) => setUrl({ version: name || undefined })}
        />
      </div>
      <ListView
        title="Rules"
        subject={SUBJECT}
        columns={columnsOf(setOpened)}
        rowKey={(rule) => `${rule.specId} ${ruleText(rule)}`}
        path={trpc.configurationManager.listRules.pathKey()}
        input={input}
        request={input}
        read={async (start, limit) => {
          const { rules, total } = await api.configurationManager.listRules.query({ ...input, start, limit });
          return { rows: rules, total };
        }}
        filters={<Exports input={input} />}
        empty={
          <Empty title="No device was checked against this golden config">
            <p>Run compliance first: the rules are listed as of the newest report of each device.</p>
            <LinkButton to="/compliance">Compliance</LinkButton>
          </Empty>
        }
      />
      {opened && <FailingDevices rule={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

const columnsOf = (open: (rule: Rule) => void): Column<Rule>[] => [
  {
    key: 'rule',
    header: 'Rule',
    wraps: true,
    cell: (rule) => <code>{ruleText(rule)}</code>,
    field: 'rule',
  },
  {
    key: 'severity',
    header: 'Severity',
    cell: ({ severity }) => <Badge tone={TONES[severity]}>{severity}</Badge>,
    field: 'severity',
  },
  {
    key: 'fail',
    header: 'Devices that fail it',
    isNumber: true,
    cell: (rule) =>
      rule.devices.fail === 0 ? (
        0
      ) : (
        <Button
          variant="quiet"
          aria-label={`${rule.devices.fail} devices miss ${rule.rule}`}
          onPress={() => open(rule)}
        >
          {rule.devices.fail.toLocaleString('en')}
        </Button>
      ),
    field: 'devices.fail',
  },
  {
    key: 'pass',
    header: 'Devices that pass it',
    isNumber: true,
    cell: ({ devices }) => devices.pass.toLocaleString('en'),
    field: 'devices.pass',
  },
  {
    key: 'node',
    header: 'Node',
    cell: ({ nodePath }) => nodePath ?? 'deleted',
    field: 'nodePath',
  },
  {
    key: 'names',
    header: 'Names',
    cell: ({ failing }) => failing.slice(0, 5).join(', ') + (failing.length > 5 ? ' …' : ''),
    field: 'failing',
  },
];

const DEVICE_COLUMNS: Column<string>[] = [
  {
    key: 'device',
    header: 'Device',
    cell: (name) => (
      <Link {...devicePath(name)} search={{ tab: 'compliance' }}>
        {name}
      </Link>
    ),
    text: (name) => name,
  },
];

function FailingDevices({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const { failing, devices } = rule;
  return (
    <Dialog title="Devices that fail the rule" isOpen onClose={onClose} size="wide">
      <p>
        <code>{ruleText(rule)}</code>
      </p>
      <DataTable
        label="Devices that fail the rule"
        columns={DEVICE_COLUMNS}
        rows={failing}
        rowKey={(name) => name}
        total={devices.fail}
      />
      {failing.length < devices.fail && (
        <p className="muted">The first {failing.length} that you may see are listed.</p>
      )}
      <div className="dialog-actions">
        <SaveCsv name="devices-that-miss-the-rule" columns={DEVICE_COLUMNS} rows={failing} />
        <LinkButton to="/campaigns">Campaigns</LinkButton>
        <Button variant="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

type Input = Part & { text?: string };

const PATH = '/configuration_manager/compliance_reports';

/** The files that the service writes: the newest report of each device, and the devices that miss each listed rule. */
const FILES: { label: string; save: (input: Input) => Promise<void> }[] = [
  {
    label: 'Devices as CSV',
    save: ({ text: _, ...part }) => download(`${PATH}/export/csv?${queryOf(part)}`),
  },
  {
    label: 'Report as PDF',
    save: async ({ text: _, ...part }) =>
      saveBytes('reports.pdf', await api.configurationManager.exportReportsAsPdf.query(part), PDF),
  },
  {
    label: 'Rules and devices as CSV',
    save: (input) => download(`${PATH}/rules/export/csv?${queryOf(input)}`),
  },
  {
    label: 'Rules and devices as PDF',
    save: async (input) =>
      saveBytes('rules.pdf', await api.configurationManager.exportRulesAsPdf.query(input), PDF),
  },
];

const PDF = 'application/pdf';

const queryOf = (input: Input) => new URLSearchParams(JSON.parse(JSON.stringify(input)));

function Exports({ input }: { input: Input }) {
  return (
    <ActionMenu
      label="Export"
      actions={FILES.map(({ label, save }) => ({
        label,
        onAction: () => void save(input).catch(showProblem),
      }))}
    />
  );
}
