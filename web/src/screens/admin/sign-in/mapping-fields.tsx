import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { choicesOf, roleNameChoices, useGroupNames, useRoles } from '../access/use-choices.ts';
import type { GroupMapping } from './provider-draft.ts';

type MappingFieldsProps = {
  mapping: readonly GroupMapping[];
  onChange: (mapping: readonly GroupMapping[]) => void;
};

/** Which groups of the directory give which roles and groups here. */
export function MappingFields({ mapping, onChange }: MappingFieldsProps) {
  const roles = useRoles();
  const groups = useGroupNames();
  const replace = (index: number, change: Partial<GroupMapping>) =>
    onChange(mapping.map((one, at) => (at === index ? { ...one, ...change } : one)));
  return (
    <fieldset className="check-list column">
      <legend className="field-label">Group mapping</legend>
      <p className="muted small">
        Users in none of these groups may not sign in, unless there are roles for every user.
      </p>
      {mapping.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mapping has no identity but its place while its name is typed
        <fieldset key={index} className="column bare" aria-label={`Group ${index + 1}`}>
          <TextField
            label="Group of the directory"
            hint="Its name, or its distinguished name"
            value={one.group}
            onChange={(group) => replace(index, { group })}
            isRequired
          />
          <div className="columns">
            <CheckList
              label="Roles"
              items={roleNameChoices(roles.data?.results)}
              chosen={new Set(one.roles)}
              onChange={(chosen) => replace(index, { roles: [...chosen] })}
              from={roles}
            />
            <CheckList
              label="Groups"
              items={choicesOf(groups.data)}
              chosen={new Set(one.groups)}
              onChange={(chosen) => replace(index, { groups: [...chosen] })}
              from={groups}
            />
          </div>
          <div className="row">
            <Button
              variant="quiet"
              aria-label={`Remove group ${index + 1}`}
              onPress={() => onChange(mapping.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <Button onPress={() => onChange([...mapping, { group: '', roles: [], groups: [] }])}>Add group</Button>
    </fieldset>
  );
}
