import { useState } from 'react';
import { api, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextArea } from '~/ui/fields.tsx';
import { JsonField, jsonText } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { wordsIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import type { DeviceTemplate } from './device-templates-page.tsx';

/** Creates a device template, or changes one. */
export function DeviceTemplateForm({
  template,
  onClose,
}: {
  template?: DeviceTemplate;
  onClose: () => void;
}) {
  const refresh = useRefresh(trpc.configurationManager.searchDeviceTemplates.pathFilter());
  const [stamp, setStamp] = useState(template?.updated);
  const [draft, change] = useDraft({
    name: template?.name ?? '',
    types: (template?.deviceOSTypes ?? []).join(', '),
    template: template?.template ?? '',
    variables: jsonText(template?.variables),
  });
  const name = draft.name.trim();
  const variables = parseObject(draft.variables).value;
  return (
    <FormDialog
      title={template ? 'Change device template' : 'Create device template'}
      action={template ? 'Save' : 'Create template'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={name !== '' && draft.template.trim() !== '' && variables !== undefined}
      onSubmit={async () => {
        const { createDeviceTemplate, updateDeviceTemplate, searchDeviceTemplates } =
          api.configurationManager;
        const data = { name, template: draft.template, variables };
        const options = { deviceOSTypes: wordsIn(draft.types) };
        if (!template) await createDeviceTemplate.mutate({ ...data, options });
        else {
          const { id } = template;
          await saveOver(
            stamp,
            (condition) => updateDeviceTemplate.mutate({ id, data, options }, condition),
            async () => setStamp((await searchDeviceTemplates.query({ name: id })).list[0]?.updated),
          );
        }
        await refresh();
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          { key: 'name', label: 'Name', isRequired: true, autoFocus: true },
          {
            key: 'types',
            label: 'Device types',
            hint: 'Config parsers, separated by commas; empty: any device',
          },
        ]}
      />
      <TextArea
        label="Template"
        hint="Lines of a configuration, in Jinja: {{ ntp }} is replaced by the variable ntp"
        placeholder="ntp server {{ ntp }}"
        isCode
        isRequired
        rows={10}
        value={draft.template}
        onChange={(text) => change({ template: text })}
      />
      <JsonField
        label="Variables"
        hint="Values for the template as JSON; each rendering may set others"
        rows={4}
        text={draft.variables}
        onChange={(text) => change({ variables: text })}
      />
    </FormDialog>
  );
}
