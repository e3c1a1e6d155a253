import { useNavigate } from '@tanstack/react-router';
import { api, type Inputs, type Outputs, trpc } from '~/api/client.ts';
import { sourcePath } from '~/app/paths.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { TextArea, TextField } from '~/ui/fields.tsx';
import { JsonField } from '~/ui/form/json-field.tsx';
import { parseObject } from '~/ui/form/parse-object.ts';
import { CertificatesField, secretField, TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { draftOf, scheduleOf } from '~/ui/schedule/schedule-draft.ts';
import { ScheduleField } from '~/ui/schedule/schedule-field.tsx';
import { type MappingDraft, MappingFields, mappingDraftOf, mappingOf } from './mapping-fields.tsx';

type Source = Outputs['inventory']['getSource'];
type NewSource = Inputs['inventory']['createSource']['source'];

/** How a stored secret is shown; sent back, it keeps the stored one. */
const MASK = '********';

const TYPES: { value: Source['type']; label: string }[] = [
  { value: 'netbox', label: 'NetBox' },
  { value: 'nautobot', label: 'Nautobot' },
  { value: 'ansible', label: 'Ansible inventory (INI or YAML)' },
  { value: 'csv', label: 'CSV file' },
  { value: 'json', label: 'JSON document' },
];

/** The name of a type of sources. */
export const typeName = (type: Source['type']): string =>
  TYPES.find(({ value }) => value === type)?.label ?? type;

type Fields = {
  name: string;
  type: Source['type'];
  from: 'url' | 'content';
  url: string;
  token: string;
  content: string;
  filters: string;
  deletes: Source['deletes'];
  maxGonePercent: string;
  ca: string;
};

const fieldsOf = (source: Source | undefined): Fields => ({
  name: source?.name ?? '',
  type: source?.type ?? 'netbox',
  from: source?.content ? 'content' : 'url',
  url: source?.url ?? '',
  token: '',
  content: '',
  filters: source?.filters ? JSON.stringify(source.filters, null, 2) : '',
  deletes: source?.deletes ?? 'keep',
  maxGonePercent: String(source?.maxGonePercent ?? ''),
  ca: source?.ca ?? '',
});

/** Where the source reads devices from: an address and its token, or a text. What is stored stays while its field is empty. */
function originOf({ url, token, content }: Fields, isText: boolean, source: Source | undefined) {
  const kept = (stored: unknown) => (stored ? MASK : null);
  if (isText) return { url: null, token: null, content: content || kept(source?.content) };
  return { url: url.trim() || null, token: token || kept(source?.token), content: null };
}

/** Creates a source, or changes one; token and text are never shown, and kept while their fields stay empty. */
export function SourceForm({ source, onClose }: { source?: Source; onClose: () => void }) {
  const navigate = useNavigate();
  const refresh = useRefresh(trpc.inventory.listSources.pathFilter(), trpc.inventory.getSource.pathFilter());
  const [fields, change] = useDraft(() => fieldsOf(source));
  const [mapping, changeMapping] = useDraft<MappingDraft>(() => mappingDraftOf(source?.mapping));
  const [schedule, changeSchedule] = useDraft(() => draftOf(source?.schedule));
  const takesText = fields.type !== 'netbox' && fields.type !== 'nautobot';
  const isText = takesText && fields.from === 'content';
  const filters = parseObject(fields.filters);
  const body = {
    ...originOf(fields, isText, source),
    filters: (filters.value && Object.keys(filters.value).length > 0
      ? filters.value
      : null) as NewSource['filters'],
    mapping: mappingOf(mapping) ?? null,
    schedule: scheduleOf(schedule) ?? null,
    deletes: fields.deletes,
    maxGonePercent: fields.maxGonePercent === '' ? null : Number(fields.maxGonePercent),
    ca: fields.ca.trim() || null,
  };
  return (
    <FormDialog
      title={source ? 'Change source' : 'Create source'}
      action={source ? 'Save' : 'Create source'}
      size="wide"
      isOpen
      onClose={onClose}
      isReady={fields.name.trim() !== '' && filters.problem === undefined}
      onSubmit={async () => {
        if (source) await api.inventory.updateSource.mutate({ id: source._id, updates: body });
        else {
          const { data } = await api.inventory.createSource.mutate({
            source: { ...body, name: fields.name.trim(), type: fields.type },
          });
          await navigate(sourcePath(data._id));
        }
        await refresh();
      }}
    >
      <div className="columns narrow">
        <TextField
          label="Name"
          value={fields.name}
          onChange={(name) => change({ name })}
          isReadOnly={source !== undefined}
          isRequired
          autoFocus
        />
        {source ? (
          <TextField label="Type" value={typeName(fields.type)} onChange={() => undefined} isReadOnly />
        ) : (
          <SelectField
            label="Type"
            value={fields.type}
            onChange={(type) => change({ type })}
            choices={TYPES}
          />
        )}
        {takesText && (
          <SelectField
            label="Read from"
            value={fields.from}
            onChange={(from) => change({ from })}
            choices={[
              { value: 'url', label: 'An address' },
              { value: 'content', label: 'A text' },
            ]}
          />
        )}
      </div>
      <OriginFields source={source} isText={isText} fields={fields} onChange={change} />
      <JsonField
        label="Filters"
        hint={'Filters of the request, as the source names them: {"status": "active"}'}
        rows={3}
        text={fields.filters}
        onChange={(text) => change({ filters: text })}
      />
      <MappingFields draft={mapping} onChange={changeMapping} isJson={fields.type === 'json'} />
      <SelectField
        label="Devices that the source no longer has"
        value={fields.deletes}
        onChange={(deletes) => change({ deletes })}
        choices={[
          { value: 'keep', label: 'Keep them' },
          { value: 'mark', label: 'Mark them as missing' },
          { value: 'remove', label: 'Remove them from the inventory' },
        ]}
      />
      {fields.deletes === 'remove' && (
        <TextFields
          draft={fields}
          onChange={change}
          fields={[
            {
              key: 'maxGonePercent',
              label: 'Percentage that may go without confirmation',
              hint: 'Of its devices. Default: 20. Fewer than 10 devices never need one.',
              type: 'number',
              min: 0,
              max: 100,
            },
          ]}
        />
      )}
      <CertificatesField value={fields.ca} onChange={(ca) => change({ ca })} />
      <ScheduleField draft={schedule} onChange={changeSchedule} />
    </FormDialog>
  );
}

/** Where the source is read from: its address, or a text that is stored with it. */
function OriginFields({
  source,
  isText,
  fields,
  onChange,
}: {
  source: Source | undefined;
  isText: boolean;
  fields: Fields;
  onChange: (changes: Partial<Fields>) => void;
}) {
  return isText ? (
    <TextArea
      label="Text"
      hint={source?.content ? 'Stored, and not shown. Leave empty to keep it.' : undefined}
      value={fields.content}
      onChange={(content) => onChange({ content })}
      isCode
    />
  ) : (
    <TextFields
      draft={fields}
      onChange={onChange}
      fields={[
        { key: 'url', label: 'Address', type: 'url', placeholder: 'https://netbox.example.net' },
        { key: 'token', label: 'Token', ...secretField(source?.token) },
      ]}
    />
  );
}
