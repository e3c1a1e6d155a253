import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { UsedBy } from '~/screens/projects/used-by.tsx';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showProblem, showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { TryAnalytic } from './try-analytic.tsx';

export type Analytic = Outputs['mop']['listAnalyticTemplates'][number];
type Sent = Inputs['mop']['createAnalyticTemplate']['template'];
type Kind = 'try' | 'edit' | 'users' | 'delete';
type OpenDialog = { kind: 'import' } | { kind: Kind; template: Analytic };

/** What a new template begins with: one pair of commands, whose outputs must be equal. */
const EXAMPLE = {
  name: 'Routes are kept',
  os: '',
  passRule: true,
  prepostCommands: [
    {
      preRawCommand: 'show ip route summary',
      postRawCommand: 'show ip route summary',
      passRule: true,
      rules: [{ type: 'regex', preRegex: 'Total +(\\d+)', postRegex: 'Total +(\\d+)', evaluator: '=' }],
    },
  ],
};

const COLUMNS: Column<Analytic>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => nameText(name), field: 'name' },
  {
    key: 'state',
    header: 'State',
    cell: ({ errors = [] }) =>
      errors.length > 0 ? <Badge tone="warn">draft</Badge> : <Badge tone="good">can run</Badge>,
    field: 'errors.length:Errors',
  },
  { key: 'os', header: 'Platform', cell: ({ os }) => os || 'any', field: 'os' },
  {
    key: 'commands',
    header: 'Commands',
    wraps: true,
    cell: ({ prepostCommands = [] }) => (
      <code>{prepostCommands.map(({ preRawCommand }) => preRawCommand).join('; ')}</code>
    ),
    field: 'prepostCommands',
  },
  DESCRIPTION,
  CHANGED,
];

async function exportTemplate(name: string) {
  try {
    const template = await api.mop.exportTemplate.query({ options: { name }, type: 'analytic' });
    saveFile(`${nameText(name)}.analytic.json`, JSON.stringify(template, null, 2), 'application/json');
  } catch (error) {
    showProblem(error);
  }
}

/** The analytic templates: pairs of commands before and after a change, with rules that compare their outputs. */
export function AnalyticTemplatesPage() {
  const may = useMay();
  const refresh = useRefresh(trpc.mop.listAnalyticTemplates.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const open = (kind: Kind, template: Analytic) => () => setOpened({ kind, template });
  return (
    <>
      <NamedList
        title="Analytic templates"
        pathTo={
          <>
            <PathLink to="/commands">Commands</PathLink> /{' '}
            <PathLink to="/command-templates">Command templates</PathLink>
          </>
        }
        columns={COLUMNS}
        rowKey={({ name }) => name}
        nameOf={({ name }) => nameText(name)}
        procedure={trpc.mop.listAnalyticTemplates}
        read={async () => {
          const results = await api.mop.listAnalyticTemplates.query({});
          return { results, total: results.length };
        }}
        hasTextFilter={false}
        empty={{
          title: 'There is no analytic template yet',
          text: 'An analytic template compares the outputs of commands before and after a change, and reports what has changed.',
        }}
        actions={
          may('mop.importTemplate') && <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
        }
        create={{
          label: 'Create template',
          needs: 'mop.createAnalyticTemplate',
          dialog: (onClose) => (
            <DocumentDialog
              title="Create analytic template"
              action="Create template"
              document={EXAMPLE}
              onClose={onClose}
              onSubmit={async (document) => {
                await api.mop.createAnalyticTemplate.mutate({ template: document as Sent });
                await refresh();
              }}
            />
          ),
        }}
        actionsOf={(template) => [
          { label: 'Try', needs: 'mop.runAnalyticsTemplate', onAction: open('try', template) },
          {
            label: 'Change document',
            needs: 'mop.updateAnalyticTemplate',
            onAction: open('edit', template),
          },
          {
            label: 'Used by',
            needs: 'automationStudio.listReferencesTo',
            onAction: open('users', template),
          },
          {
            label: 'Export',
            needs: 'mop.exportTemplate',
            onAction: () => void exportTemplate(template.name),
          },
          { label: 'Delete', needs: 'mop.deleteAnalyticTemplate', onAction: open('delete', template) },
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import analytic template"
          action="Import template"
          onClose={close}
          onSubmit={async (document) => {
            const { name } = await api.mop.importTemplate.mutate({
              type: 'analytic',
              template: document as Inputs['mop']['importTemplate']['template'],
            });
            await refresh();
            showToast(`The analytic template ${nameText(name)} is stored.`);
          }}
        >
          <p className="muted">A template whose name is taken gets another one.</p>
        </DocumentDialog>
      )}
      {opened?.kind === 'try' && <TryAnalytic template={opened.template} onClose={close} />}
      {opened?.kind === 'edit' && <ChangeAnalytic template={opened.template} onClose={close} />}
      {opened?.kind === 'users' && (
        <UsedBy type="mopAnalyticTemplate" reference={opened.template.name} onClose={close} />
      )}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete template"
          onClose={close}
          onConfirm={async () => {
            await api.mop.deleteAnalyticTemplate.mutate({ id: opened.template.name });
            await refresh();
          }}
        >
          The analytic template “{nameText(opened.template.name)}” is deleted. One that a workflow uses cannot
          be deleted: “Used by” lists them.
        </ConfirmDialog>
      )}
    </>
  );
}

function ChangeAnalytic({ template, onClose }: { template: Analytic; onClose: () => void }) {
  const refresh = useRefresh(trpc.mop.listAnalyticTemplates.pathFilter());
  const [stamp, setStamp] = useState(template.lastUpdated);
  const { name } = template;
  return (
    <DocumentDialog
      title="Change analytic template"
      action="Save document"
      document={template}
      onClose={onClose}
      onSubmit={async (document) => {
        await saveOver(
          stamp,
          // What the document holds is for the service to judge: it lists every issue by its path.
          (options) =>
            api.mop.updateAnalyticTemplate.mutate({ mopID: name, template: document as Sent }, options),
          async () => setStamp((await api.mop.listAnAnalyticTemplate.query({ name }))[0]?.lastUpdated),
        );
        await refresh();
      }}
    />
  );
}
