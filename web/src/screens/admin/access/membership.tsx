import { useState } from 'react';
import { CheckList } from '~/ui/inputs/check-list.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { choicesOf, roleChoices, useGroupNames, useRoles } from './use-choices.ts';

/** The roles and groups that are chosen, by their ids. */
export type Chosen = { roleIds: Set<string>; groupIds: Set<string> };

/** Returns a choice of roles and groups as the procedures take it. */
export const membershipOf = ({ roleIds, groupIds }: Chosen) => ({
  assignedRoles: [...roleIds].map((roleId) => ({ roleId })),
  memberOf: [...groupIds].map((groupId) => ({ groupId })),
});

type MembershipFieldsProps = {
  chosen: Chosen;
  onChange: (change: Partial<Chosen>) => void;
  /** Left out of the offered groups: a group is no member of itself. */
  except?: string | undefined;
};

/** Chooses roles and groups of an account or group. */
export function MembershipFields({ chosen, onChange, except }: MembershipFieldsProps) {
  const roles = useRoles();
  const groups = useGroupNames();
  return (
    <>
      <CheckList
        label="Roles"
        items={roleChoices(roles.data?.results)}
        chosen={chosen.roleIds}
        onChange={(roleIds) => onChange({ roleIds })}
        from={roles}
      />
      <CheckList
        label="Groups"
        items={choicesOf(groups.data).filter(({ id }) => id !== except)}
        chosen={chosen.groupIds}
        onChange={(groupIds) => onChange({ groupIds })}
        from={groups}
      />
    </>
  );
}

type MembershipProps = {
  roleIds: readonly string[];
  groupIds: readonly string[];
  except?: string;
  onSave: (membership: ReturnType<typeof membershipOf>) => Promise<unknown>;
  onClose: () => void;
};

/** Changes the roles and groups of an account or group. */
export function Membership({ roleIds, groupIds, except, onSave, onClose }: MembershipProps) {
  const [chosen, setChosen] = useState<Chosen>({ roleIds: new Set(roleIds), groupIds: new Set(groupIds) });
  return (
    <FormDialog
      title="Roles and groups"
      action="Save"
      isOpen
      onClose={onClose}
      onSubmit={() => onSave(membershipOf(chosen))}
    >
      <MembershipFields
        chosen={chosen}
        onChange={(change) => setChosen((before) => ({ ...before, ...change }))}
        except={except}
      />
    </FormDialog>
  );
}
