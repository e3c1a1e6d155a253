import { useState } from 'react';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { NamedList } from '~/ui/named-list.tsx';
import { ConfirmDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';
import { PathLink } from '~/ui/page.tsx';
import { saveFile } from '~/ui/table/csv.ts';
import type { Column } from '~/ui/table/data-table.tsx';
import { Time } from '~/ui/time.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { DeviceTemplateForm } from './device-template-form.tsx';
import { RenderTemplate } from './render-template.tsx';

export type DeviceTemplate = Outputs['configurationManager']['searchDeviceTemplates']['list'][number];
type Imported = Inputs['configurationManager']['importDeviceTemplates']['templates'][number];
type OpenDialog = { kind: 'import' } | { kind: 'render' | 'edit' | 'delete'; template: DeviceTemplate };

const COLUMNS: Column<DeviceTemplate>[] = [
  { key: 'name', header: 'Name', sortField: 'name', cell: ({ name }) => nameText(name), field: 'name' },
  {
    key: 'types',
    header: 'Device types',
    cell: ({ deviceOSTypes = [] }) => deviceOSTypes.join(', ') || 'any',
    field: 'deviceOSTypes',
  },
  {
    key: 'variables',
    header: 'Variables',
    wraps: true,
    cell: ({ variables = {} }) => Object.keys(variables).join(', '),
  },
  {
    key: 'lines',
    header: 'Lines',
    isNumber: true,
    cell: ({ template }) => template.trimEnd().split('\n').length,
  },
  { key: 'changed', header: 'Changed', cell: ({ updated }) => <Time value={updated} />, field: 'updated' },
];

const save = (template: DeviceTemplate) =>
  saveFile(`${template.name}.device-template.json`, JSON.stringify(template, null, 2), 'application/json');

/** The device templates: texts with variables, whose lines are sent to devices. */
export function DeviceTemplatesPage() {
  const may = useMay();
  const { searchDeviceTemplates } = trpc.configurationManager;
  const refresh = useRefresh(searchDeviceTemplates.pathFilter());
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const open = (kind: 'render' | 'edit' | 'delete', template: DeviceTemplate) => () =>
    setOpened({ kind, template });
  const requestOf = ({
    contains,
    sort,
    order,
  }: {
    contains?: Record<string, string>;
    sort?: string;
    order?: 1 | -1;
  }) => ({
    ...(contains && { name: contains.name }),
    ...(sort && { options: { sort: { [sort]: order ?? 1 } } }),
  });
  return (
    <>
      <NamedList
        title="Device templates"
        pathTo={<PathLink to="/devices">Devices</PathLink>}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        nameOf={({ name }) => nameText(name)}
        procedure={searchDeviceTemplates}
        read={async ({ skip, limit, ...query }) => {
          const request = requestOf(query);
          const { list, total } = await api.configurationManager.searchDeviceTemplates.query({
            ...request,
            options: { ...request.options, start: skip, limit },
          });
          return { results: list, total };
        }}
        request={requestOf}
        defaultSort={{ field: 'name', order: 1 }}
        empty={{
          title: 'There is no device template yet',
          text: 'A device template holds lines of a configuration with variables: rendered for a device, read, and then sent to it.',
        }}
        actions={
          may('configurationManager.importDeviceTemplates') && (
            <Button onPress={() => setOpened({ kind: 'import' })}>Import</Button>
          )
        }
        create={{
          label: 'Create template',
          needs: 'configurationManager.createDeviceTemplate',
          dialog: (onClose) => <DeviceTemplateForm onClose={onClose} />,
        }}
        actionsOf={(template) => [
          {
            label: 'Render for a device',
            needs: 'configurationManager.applyDeviceTemplate',
            onAction: open('render', template),
          },
          {
            label: 'Change',
            needs: 'configurationManager.updateDeviceTemplate',
            onAction: open('edit', template),
          },
          {
            label: 'Export',
            needs: 'configurationManager.searchDeviceTemplates',
            onAction: () => save(template),
          },
          {
            label: 'Delete',
            needs: 'configurationManager.deleteDeviceTemplates',
            onAction: open('delete', template),
          },
        ]}
      />
      {opened?.kind === 'import' && (
        <DocumentDialog
          title="Import device template"
          action="Import template"
          onClose={close}
          onSubmit={async (document) => {
            const { message } = await api.configurationManager.importDeviceTemplates.mutate({
              templates: [document as Imported],
            });
            await refresh();
            showToast(message);
          }}
        >
          <p className="muted">A template whose name is taken gets another one.</p>
        </DocumentDialog>
      )}
      {opened?.kind === 'render' && <RenderTemplate template={opened.template} onClose={close} />}
      {opened?.kind === 'edit' && <DeviceTemplateForm template={opened.template} onClose={close} />}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          action="Delete template"
          onClose={close}
          onConfirm={async () => {
            await api.configurationManager.deleteDeviceTemplates.mutate({
              templateIds: [opened.template.id],
            });
            await refresh();
          }}
        >
          The device template “{nameText(opened.template.name)}” is deleted. Lines that it has sent stay on
          the devices; workflows that apply it end in an error.
        </ConfirmDialog>
      )}
    </>
  );
}
