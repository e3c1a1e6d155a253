import { useState } from 'react';
import { type Conditional, saveOver } from '~/ui/form/save-over.ts';
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

/** What has roles and groups of its own, and the stamp of its last change. */
type Member = {
  assignedRoles?: readonly { roleId: string }[];
  memberOf?: readonly { groupId: string }[];
  _meta?: { updated?: string | number | undefined };
};

type MembershipProps = {
  member: Member;
  except?: string;
  /** Reads the account or group again: somebody else may have changed it meanwhile. */
  readAgain: () => Promise<Member>;
  onSave: (membership: ReturnType<typeof membershipOf>, options: Conditional) => Promise<unknown>;
  onClose: () => void;
};

/** Changes the roles and groups of an account or group, unless somebody else has changed it since it was read. */
export function Membership({ member, except, readAgain, onSave, onClose }: MembershipProps) {
  const [chosen, setChosen] = useState<Chosen>(() => ({
    roleIds: new Set(member.assignedRoles?.map(({ roleId }) => roleId)),
    groupIds: new Set(member.memberOf?.map(({ groupId }) => groupId)),
  }));
  // The document may change while the dialog is open: the stamp is that of what the user has seen.
  const [stamp, setStamp] = useState(member._meta?.updated);
  return (
    <FormDialog
      title="Roles and groups"
      action="Save"
      isOpen
      onClose={onClose}
      onSubmit={() =>
        saveOver(
          stamp,
          (options) => onSave(membershipOf(chosen), options),
          async () => setStamp((await readAgain())._meta?.updated),
        )
      }
    >
      <MembershipFields
        chosen={chosen}
        onChange={(change) => setChosen((before) => ({ ...before, ...change }))}
        except={except}
      />
    </FormDialog>
  );
}
