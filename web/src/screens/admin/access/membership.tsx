import { useState } from 'react';
import { FormDialog } from '~/ui/dialog.tsx';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { choicesOf, useGroupNames, useRoles } from './use-choices.ts';

type MembershipProps = {
  roleIds: readonly string[];
  groupIds: readonly string[];
  /** Left out of the offered groups: a group is no member of itself. */
  except?: string;
  onSave: (membership: {
    assignedRoles: { roleId: string }[];
    memberOf: { groupId: string }[];
  }) => Promise<unknown>;
  onClose: () => void;
};

/** Changes the roles and groups of an account or group. */
export function Membership({ roleIds, groupIds, except, onSave, onClose }: MembershipProps) {
  const roles = useRoles();
  const groups = useGroupNames();
  const [chosenRoles, setRoles] = useState<Set<string>>(new Set(roleIds));
  const [chosenGroups, setGroups] = useState<Set<string>>(new Set(groupIds));
  return (
    <FormDialog
      title="Roles and groups"
      action="Save"
      isOpen
      onClose={onClose}
      onSubmit={() =>
        onSave({
          assignedRoles: [...chosenRoles].map((roleId) => ({ roleId })),
          memberOf: [...chosenGroups].map((groupId) => ({ groupId })),
        })
      }
    >
      <CheckList
        label="Roles"
        items={choicesOf(roles.data?.results)}
        chosen={chosenRoles}
        onChange={setRoles}
      />
      <CheckList
        label="Groups"
        items={choicesOf(groups.data).filter(({ id }) => id !== except)}
        chosen={chosenGroups}
        onChange={setGroups}
      />
    </FormDialog>
  );
}
