import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Checkbox, TextArea } from '~/ui/fields.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { TextFields } from '~/ui/form/text-fields.tsx';
import { useDraft } from '~/ui/form/use-draft.ts';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { namesIn, wordsIn } from '~/ui/inputs/lines.ts';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { useRoles } from '../access/use-choices.ts';

type Policy = Outputs['automationgateway']['listPolicies']['results'][number];

/** Creates a command policy, or changes one. */
export function CommandPolicyForm({ policy, onClose }: { policy?: Policy; onClose: () => void }) {
  const refresh = useRefresh(trpc.automationgateway.listPolicies.pathFilter());
  // What is stored may change while the form is open: what it held at first is what this user changes.
  const [stored, setStored] = useState(policy);
  const roles = useRoles();
  const [draft, change] = useDraft({
    name: policy?.name ?? '',
    types: (policy?.device_types ?? []).join(', '),
    roles: new Set(policy?.roles ?? []),
    allow: (policy?.allow ?? []).join('\n'),
    deny: (policy?.deny ?? []).join('\n'),
    operators: policy?.operators ?? false,
  });
  const name = draft.name.trim();
  const allow = namesIn(draft.allow);
  const deny = namesIn(draft.deny);
  return (
    <FormDialog
      title={policy ? 'Change policy' : 'Create policy'}
      action={policy ? 'Save' : 'Create policy'}
      isOpen
      onClose={onClose}
      isReady={name !== ''}
      onSubmit={async () => {
        const { createPolicy, replacePolicy, getPolicy } = api.automationgateway;
        const next = {
          name,
          roles: [...draft.roles],
          device_types: wordsIn(draft.types),
          allow,
          deny,
          operators: draft.operators,
        };
        if (!stored) await createPolicy.mutate({ policy: next });
        else {
          await saveOver(
            stored.lastUpdated,
            (options) => replacePolicy.mutate({ name, policy: { ...stored, ...next } }, options),
            async () => setStored(await getPolicy.query({ name })),
          );
        }
        await refresh();
      }}
    >
      <TextFields
        draft={draft}
        onChange={change}
        fields={[
          {
            key: 'name',
            label: 'Name',
            isRequired: true,
            ...(policy ? { isReadOnly: true } : { autoFocus: true }),
          },
          { key: 'types', label: 'Device types', hint: 'Separated by commas; empty: all' },
        ]}
      />
      <CheckList
        label="Roles to which it applies; none: all"
        items={(roles.data?.results ?? [])
          .filter(({ provenance }) => provenance === 'platform')
          .map((role) => ({ id: role.name, name: role.name }))}
        chosen={draft.roles}
        onChange={(chosen) => change({ roles: chosen })}
        from={roles}
      />
      <div className="columns narrow">
        <TextArea
          label="Allowed commands"
          hint="The first words of each, one per line; empty: all"
          placeholder="show"
          rows={4}
          isCode
          value={draft.allow}
          onChange={(text) => change({ allow: text })}
        />
        <TextArea
          label="Denied commands"
          hint="One per line; they take precedence over what is allowed"
          placeholder="show tech"
          rows={4}
          isCode
          value={draft.deny}
          onChange={(text) => change({ deny: text })}
        />
      </div>
      <Checkbox
        label="Allowed commands may use redirection and operators such as ; and &"
        isChecked={draft.operators}
        onChange={(operators) => change({ operators })}
      />
      {allow.length > 0 && (
        <p className="note" data-tone="warn">
          Once it is stored, accounts to which it applies can send these commands, and those that another
          policy allows them, and nothing else: also in jobs, backups and pushes.
        </p>
      )}
    </FormDialog>
  );
}
