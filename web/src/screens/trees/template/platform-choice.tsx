import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, trpc } from '~/api/client.ts';
import { Button } from '~/ui/button.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { QueryView } from '~/ui/states.tsx';

type Spec = Outputs['configurationManager']['getNode']['spec'];
type Sections = NonNullable<Spec['sections']>;

/**
 * Returns the sections of a spec as the service accepts them, which replaces all of them.
 *
 * @param template of the section of `platform`; undefined: the section is removed
 */
export function sectionsWith({ sections = {} }: Spec, platform: string, template: string | undefined) {
  const { [platform]: changed, ...others } = sections;
  const next: Sections =
    template === undefined ? others : { ...others, [platform]: { ...changed, template } };
  return Object.fromEntries(
    Object.entries(next).map(([name, { template, ruleSet }]) => [
      name,
      {
        template, // Stored sections have the options that the service accepted.
        ...(ruleSet ? { ruleSet: ruleSet as Record<string, unknown> } : {}),
      },
    ]),
  );
}

type PlatformChoiceProps = {
  spec: Spec;
  /** The platform whose rules are shown; undefined: that of the tree. */
  platform: string | undefined;
  mayEdit: boolean;
  onChoose: (platform: string | undefined) => void;
  onRemove: (platform: string) => Promise<void>;
};

/** Chooses the platform whose rules are shown, of those that the node has rules for; adds and removes platforms. */
export function PlatformChoice({ spec, platform, mayEdit, onChoose, onRemove }: PlatformChoiceProps) {
  const [action, setAction] = useState<'add' | 'remove'>();
  const stored = Object.keys(spec.sections ?? {});
  const others = platform === undefined || stored.includes(platform) ? stored : [...stored, platform];
  const close = () => setAction(undefined);
  return (
    <div className="row">
      <SelectField
        label="Rules for the platform"
        value={platform ?? ''}
        choices={[
          { value: '', label: `${spec.deviceType} (the platform of the tree)` },
          ...others.map((name) => ({
            value: name,
            label: `${name}${stored.includes(name) ? '' : ' (not saved yet)'}`,
          })),
        ]}
        onChange={(name) => onChoose(name || undefined)}
      />
      {mayEdit && <Button onPress={() => setAction('add')}>Add platform</Button>}
      {mayEdit && platform !== undefined && (
        <Button onPress={() => setAction('remove')}>Remove platform</Button>
      )}
      {action === 'add' && (
        <AddPlatform taken={[spec.deviceType, ...others]} onAdd={onChoose} onClose={close} />
      )}
      {action === 'remove' && platform !== undefined && (
        <FormDialog
          title="Remove platform"
          action="Remove platform"
          isOpen
          onClose={close}
          onSubmit={() => onRemove(platform)}
        >
          <p>
            The rules of this node for {platform} are deleted. Devices of this platform are then checked with
            the rules of the other nodes above them alone.
          </p>
        </FormDialog>
      )}
    </div>
  );
}

type AddPlatformProps = {
  taken: readonly string[];
  onAdd: (platform: string) => void;
  onClose: () => void;
};

function AddPlatform({ taken, onAdd, onClose }: AddPlatformProps) {
  const parsers = useQuery(trpc.configurationManager.listParsers.queryOptions({}));
  const [platform, setPlatform] = useState('');
  return (
    <FormDialog
      title="Add platform"
      action="Write its rules"
      isOpen
      onClose={onClose}
      isReady={platform !== ''}
      onSubmit={async () => onAdd(platform)}
    >
      <p>Devices of this platform are checked with its rules instead of those of the platform of the tree.</p>
      <QueryView query={parsers} loading="Loading platforms">
        {(list) => (
          <SelectField
            label="Platform"
            value={platform}
            choices={[
              { value: '', label: 'Choose one' },
              ...list
                .map(({ name }) => name)
                .filter((name) => !taken.includes(name))
                .map((name) => ({ value: name, label: name })),
            ]}
            onChange={setPlatform}
          />
        )}
      </QueryView>
    </FormDialog>
  );
}
