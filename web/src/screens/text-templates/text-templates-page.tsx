import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { textTemplatePath } from '~/app/paths.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Badge } from '~/ui/badge.tsx';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import type { Column } from '~/ui/table/data-table.tsx';
import { CHANGED, DESCRIPTION } from '~/ui/table/document-columns.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { type TemplateType, TYPES, typeText } from './types.ts';

type Template = Outputs['automationStudio']['listTemplates']['items'][number];
type Imported = Inputs['automationStudio']['importTemplates']['templates'][number];

/** What the list shows: the texts themselves may be long. */
const SHOWN = 'name,group,type,command,description,errors,lastUpdated';

const COLUMNS: Column<Template>[] = [
  {
    key: 'name',
    header: 'Name',
    sortField: 'name',
    cell: ({ _id = '', name = '' }) => <Link {...textTemplatePath(_id)}>{nameText(name)}</Link>,
    field: 'name',
  },
  {
    key: 'group',
    header: 'Group',
    sortField: 'group',
    cell: ({ group = '' }) => group,
    field: 'group',
  },
  { key: 'type', header: 'Type', sortField: 'type', cell: ({ type }) => typeText(type), field: 'type' },
  {
    key: 'state',
    header: 'State',
    cell: ({ errors = [] }) =>
      errors.length > 0 ? <Badge tone="warn">draft</Badge> : <Badge tone="good">compiles</Badge>,
    field: 'errors.length:Errors',
  },
  {
    key: 'command',
    header: 'Command',
    cell: ({ command }) => (command ? <code>{command}</code> : '–'),
    field: 'command',
  },
  DESCRIPTION,
  { ...CHANGED, sortField: 'lastUpdated' },
];

/** The text templates that the account may read, with those of projects. */
export function TextTemplatesPage() {
  const may = useMay();
  const { listTemplates } = trpc.automationStudio;
  const refresh = useRefresh(listTemplates.pathFilter());
  const [{ type = '' }, setUrl] = useUrlState();
  const [isImporting, setImporting] = useState(false);
  return (
    <>
      <NamedList
        title="Text templates"
        pathTo={<PathLink to="/projects">Projects</PathLink>}
        columns={COLUMNS}
        rowKey={({ _id = '' }) => _id}
        procedure={listTemplates}
        input={type === '' ? {} : { equals: { type } }}
        read={async (query) => {
          const { items, total } = await api.automationStudio.listTemplates.query({
            queryOptions: { ...query, include: SHOWN },
          });
          return { results: items, total };
        }}
        defaultSort={{ field: 'name', order: 1 }}
        filters={
          <select
            className="input fit"
            aria-label="Type"
            value={type}
            onChange={(event) => setUrl({ type: event.target.value })}
          >
            <option value="">Any type</option>
            {TYPES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        }
        empty={{
          title: 'There is no text template yet',
          text: 'A Jinja template makes a text from values, such as lines of a configuration; a TextFSM template makes records from the output of a device.',
        }}
        actions={
          may('automationStudio.importTemplates') && (
            <Button onPress={() => setImporting(true)}>Import</Button>
          )
        }
        create={{
          label: 'Create template',
          needs: 'automationStudio.createTemplate',
          dialog: (onClose) => <CreateTemplate onClose={onClose} onDone={refresh} />,
        }}
      />
      {isImporting && (
        <DocumentDialog
          title="Import text template"
          action="Import template"
          onClose={() => setImporting(false)}
          onSubmit={async (document) => {
            const { imported } = await api.automationStudio.importTemplates.mutate({
              // What the file holds is for the service to judge.
              templates: [document as Imported],
            });
            await refresh();
            for (const { message } of imported) showToast(message);
          }}
        >
          <p className="muted">
            A template whose name is taken in its group gets another one. One that does not compile is stored
            as a draft.
          </p>
        </DocumentDialog>
      )}
    </>
  );
}

/** Creates a template without text, and opens its page. */
function CreateTemplate({ onClose, onDone }: { onClose: () => void; onDone: () => unknown }) {
  const navigate = useNavigate();
  const [draft, change] = useDraft({ name: '', group: '', type: 'jinja2' as TemplateType, description: '' });
  const [name, group] = [draft.name.trim(), draft.group.trim()];
  return (
    <FormDialog
      title="Create text template"
      action="Create template"
      isOpen
      onClose={onClose}
      isReady={name !== '' && group !== ''}
      onSubmit={async () => {
        const { created } = await api.automationStudio.createTemplate.mutate({
          template: { ...draft, name, group },
        });
        await onDone();
        await navigate(textTemplatePath(created._id));
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          { key: 'group', label: 'Group', hint: 'Such as the platform: IOS', isRequired: true },
          { key: 'description', label: 'Description' },
        ]}
      />
      <SelectField
        label="Type"
        value={draft.type}
        choices={TYPES}
        onChange={(type) => change({ type: type as TemplateType })}
      />
    </FormDialog>
  );
}
