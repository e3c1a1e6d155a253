import type { Inputs } from '~/api/client.ts';
import { TextArea } from '~/ui/fields.tsx';
import { TextFields } from '~/ui/form/text-fields.tsx';

type Mapping = NonNullable<Inputs['inventory']['createSource']['source']['mapping']>;

const PATHS = [
  { key: 'name', label: 'Path of the name' },
  { key: 'host', label: 'Path of the address' },
  { key: 'port', label: 'Path of the port' },
  { key: 'device_type', label: 'Path of the platform' },
  { key: 'site', label: 'Path of the site' },
  { key: 'tags', label: 'Path of the tags' },
] as const;

const JSON_PATHS = [
  { key: 'items', label: 'Path of the list of records' },
  { key: 'next', label: 'Path of the next page' },
] as const;

type PathKey = (typeof PATHS)[number]['key'] | (typeof JSON_PATHS)[number]['key'];

/** A mapping while it is edited: paths, pairs one a line, and default values. */
export type MappingDraft = Record<PathKey, string> & {
  custom: string;
  platforms: string;
  defaultType: string;
  defaultPort: string;
  credential: string;
};

const pairsText = (pairs: Record<string, string> | undefined) =>
  Object.entries(pairs ?? {})
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n');

/** Returns the pairs of a text with one `name = value` a line; lines without a sign are left out. */
function pairsIn(text: string): Record<string, string> {
  const pairs = text
    .split('\n')
    .map((line) => line.split('='))
    .filter(({ length }) => length > 1)
    .map(([name = '', ...value]) => [name.trim(), value.join('=').trim()] as const);
  return Object.fromEntries(pairs.filter(([name, value]) => name && value));
}

/** Returns what the form shows of a mapping. */
export function mappingDraftOf(mapping: Mapping | null | undefined): MappingDraft {
  const { custom, platforms, defaults, ...paths } = mapping ?? {};
  const keys = [...PATHS, ...JSON_PATHS].map(({ key }) => [key, paths[key] ?? '']);
  return {
    ...(Object.fromEntries(keys) as Record<PathKey, string>),
    custom: pairsText(custom),
    platforms: pairsText(platforms),
    defaultType: defaults?.device_type ?? '',
    defaultPort: defaults?.port === undefined ? '' : String(defaults.port),
    credential: defaults?.credential ?? '',
  };
}

/** Returns the mapping of the form; undefined when nothing is filled in. */
export function mappingOf(draft: MappingDraft): Mapping | undefined {
  const paths = Object.fromEntries(
    [...PATHS, ...JSON_PATHS].map(({ key }) => [key, draft[key].trim()]).filter(([, path]) => path),
  ) as Mapping;
  const custom = pairsIn(draft.custom);
  const platforms = pairsIn(draft.platforms);
  const defaults = {
    ...(draft.defaultType.trim() && { device_type: draft.defaultType.trim() }),
    ...(draft.defaultPort && { port: Number(draft.defaultPort) }),
    ...(draft.credential.trim() && { credential: draft.credential.trim() }),
  };
  const mapping = {
    ...paths,
    ...(Object.keys(custom).length > 0 && { custom }),
    ...(Object.keys(platforms).length > 0 && { platforms }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
  };
  return Object.keys(mapping).length > 0 ? mapping : undefined;
}

type MappingFieldsProps = {
  draft: MappingDraft;
  onChange: (change: Partial<MappingDraft>) => void;
  /** A JSON document also needs the paths of its list and of its next page. */
  isJson: boolean;
};

/** Which field of a record of the source fills which field of a device. */
export function MappingFields({ draft, onChange, isJson }: MappingFieldsProps) {
  const paths = isJson ? [...JSON_PATHS, ...PATHS] : PATHS;
  return (
    <details open={isJson}>
      <summary>Mapping of fields</summary>
      <div className="column">
        <p className="muted small">
          Paths of values in a record of the source, with dots: platform.slug. Default: those of the type.
        </p>
        <TextFields draft={draft} onChange={onChange} fields={paths} />
        <div className="columns">
          <TextArea
            label="Custom fields"
            hint="One per line: rack = rack.name"
            rows={3}
            isCode
            value={draft.custom}
            onChange={(custom) => onChange({ custom })}
          />
          <TextArea
            label="Device types of platforms"
            hint="One per line: cisco-ios-xe = cisco_xe"
            rows={3}
            isCode
            value={draft.platforms}
            onChange={(platforms) => onChange({ platforms })}
          />
        </div>
        <TextFields
          draft={draft}
          onChange={onChange}
          fields={[
            { key: 'defaultType', label: 'Device type if a record has no platform' },
            { key: 'defaultPort', label: 'Port if a record has none', type: 'number', min: 1, max: 65535 },
            { key: 'credential', label: 'Credential', hint: 'Name of a stored credential' },
          ]}
        />
      </div>
    </details>
  );
}
