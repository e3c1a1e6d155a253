import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { Details } from '~/ui/details.tsx';
import { saveOver } from '~/ui/form/save-over.ts';
import { AccountField } from '~/ui/inputs/account-field.tsx';
import { SelectField } from '~/ui/inputs/select-field.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';

type Project = Outputs['automationStudio']['getProject']['data'];
type Member = NonNullable<Project['members']>[number];
type Role = Member['role'];

const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'owner', label: 'owner: changes members, deletes the project' },
  { value: 'editor', label: 'editor: changes its components' },
  { value: 'operator', label: 'operator: runs them' },
  { value: 'viewer', label: 'viewer: reads them' },
];

const keyOf = ({ type, reference }: Pick<Member, 'type' | 'reference'>) => `${type}:${reference}`;
const nameOf = ({ username, name, reference }: Member) => username ?? name ?? reference;

/** The members of a project with their roles, and the dialogs in which its owners change them. */
export function Members({ project }: { project: Project }) {
  const may = useMay();
  const [open, setOpen] = useState<'add' | 'change'>();
  const close = () => setOpen(undefined);
  const { members = [] } = project;
  return (
    <section className="card" aria-label="Members">
      <h2>Members</h2>
      <Details
        entries={members.map((member): [string, string] => [
          nameOf(member),
          `${member.role}${member.type === 'group' ? ', a group' : ''}${member.missing ? ', no longer exists' : ''}`,
        ])}
      />
      {may('automationStudio.updateProject') && (
        <div className="row">
          <Button onPress={() => setOpen('add')}>Add member</Button>
          {members.length > 0 && <Button onPress={() => setOpen('change')}>Change members</Button>}
        </div>
      )}
      {open === 'add' && <AddMember project={project} onClose={close} />}
      {open === 'change' && <ChangeMembers project={project} onClose={close} />}
    </section>
  );
}

/** Returns a function that stores all members of a project, unless somebody else has changed the project since it was read. */
function useStoreMembers(project: Project) {
  const { getProject, listProjects } = trpc.automationStudio;
  const refresh = useRefresh(getProject.pathFilter(), listProjects.pathFilter());
  // The project may change while the dialog is open: the user changes the members that the dialog shows.
  const [read, setRead] = useState(project);
  const store = async (change: (members: readonly Member[]) => Member[]) => {
    const { _id: projectId, members = [], lastUpdated } = read;
    const sent = change(members).map(({ type, reference, role }) => ({ type, reference, role }));
    await saveOver(
      lastUpdated,
      (options) => api.automationStudio.updateProject.mutate({ projectId, members: sent }, options),
      async () => setRead((await api.automationStudio.getProject.query({ projectId })).data),
    );
    await refresh();
  };
  return { members: read.members ?? [], store };
}

type MembersProps = { project: Project; onClose: () => void };

function AddMember({ project, onClose }: MembersProps) {
  const { members, store } = useStoreMembers(project);
  const [type, setType] = useState<Member['type']>('account');
  const [reference, setReference] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const groups = useQuery(trpc.authorization.listGroupNames.queryOptions({}));
  const id = reference.trim();
  const isMember = members.some((member) => keyOf(member) === keyOf({ type, reference: id }));
  return (
    <FormDialog
      title="Add member"
      action="Add member"
      isOpen
      onClose={onClose}
      isReady={id !== '' && !isMember}
      onSubmit={() => store((before) => [...before, { type, reference: id, role }])}
    >
      <SelectField
        label="Kind"
        value={type}
        onChange={(next) => {
          setType(next);
          setReference('');
        }}
        choices={[
          { value: 'account', label: 'An account' },
          { value: 'group', label: 'A group: all of its accounts' },
        ]}
      />
      {type === 'account' ? (
        <AccountField value={reference} onChange={setReference} />
      ) : (
        <SelectField
          label="Group"
          from={groups}
          value={reference}
          onChange={setReference}
          choices={[
            { value: '', label: 'Choose a group' },
            ...(groups.data ?? []).map(({ _id, name }) => ({ value: _id, label: name })),
          ]}
        />
      )}
      <SelectField label="Role" value={role} onChange={setRole} choices={ROLES} />
      {isMember && <p className="field-problem">It is a member already: choose “Change members”.</p>}
    </FormDialog>
  );
}

function ChangeMembers({ project, onClose }: MembersProps) {
  const { members, store } = useStoreMembers(project);
  const [roles, setRoles] = useState<ReadonlyMap<string, Role | 'none'>>(new Map());
  const roleOf = (member: Member) => roles.get(keyOf(member)) ?? member.role;
  const removed = members.filter((member) => roleOf(member) === 'none');
  const hasOwner = members.some((member) => roleOf(member) === 'owner');
  return (
    <FormDialog
      title="Change members"
      action="Save members"
      isOpen
      onClose={onClose}
      isReady={hasOwner}
      onSubmit={() =>
        store((before) =>
          before.flatMap((member) => {
            const role = roleOf(member);
            return role === 'none' ? [] : [{ ...member, role }];
          }),
        )
      }
    >
      {members.map((member) => (
        <SelectField
          key={keyOf(member)}
          label={nameOf(member)}
          value={roleOf(member)}
          onChange={(role) => setRoles((before) => new Map(before).set(keyOf(member), role))}
          choices={[...ROLES, { value: 'none', label: 'no member any more' }]}
        />
      ))}
      {!hasOwner && <p className="field-problem">A project needs an owner.</p>}
      {removed.length > 0 && (
        <p className="note" data-tone="warn">
          {removed.map(nameOf).join(', ')} can no longer read the project or its components, and cannot run
          them.
        </p>
      )}
    </FormDialog>
  );
}
