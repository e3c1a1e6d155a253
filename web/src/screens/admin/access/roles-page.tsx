import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, type Outputs, trpc } from '~/api/client.ts';
import { useMay } from '~/api/use-may.ts';
import { useUrlState } from '~/app/url-state.ts';
import { useAct, useRefresh } from '~/ui/actions/use-act.ts';
import { Button } from '~/ui/button.tsx';
import { TextField } from '~/ui/fields.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { QueryView } from '~/ui/states.tsx';
import { csvOf, saveFile } from '~/ui/table/csv.ts';
import { type Column, DataTable } from '~/ui/table/data-table.tsx';
import { FilterBox } from '~/ui/table/list-page.tsx';
import { AdminFrame } from '../admin-frame.tsx';
import { roleName, useRoles } from './use-choices.ts';

type Role = Outputs['authorization']['listRoles']['results'][number];
type Method = Outputs['authorization']['listMethods']['results'][number];

/** Most procedures that the grid shows; the platform has a few hundred. */
const METHODS = 1000;
/** The source of the roles that come with the platform. */
const PLATFORM = 'platform';

/** Roles that come with the platform, or with the tasks of an integration, cannot be changed. */
const isOwn = ({ provenance }: Role, methods: readonly Method[]) =>
  provenance !== PLATFORM && !methods.some((method) => method.provenance === provenance);

const keyOf = ({ provenance, name }: { provenance?: string; name: string }) => `${provenance ?? ''}.${name}`;

/** Every permission, and which role has it. */
export function RolesPage() {
  const may = useMay();
  const roles = useRoles();
  const methods = useQuery(trpc.authorization.listMethods.queryOptions({ queryOptions: { limit: METHODS } }));
  const [open, setOpen] = useState<'create' | Role>();
  const custom = methods.data
    ? (roles.data?.results.filter((role) => isOwn(role, methods.data.results)) ?? [])
    : [];
  return (
    <AdminFrame
      current="Roles"
      actions={
        <>
          {may('authorization.deleteRole') && custom.length > 0 && (
            <ActionMenu
              label="Delete role"
              actions={custom.map((role) => ({
                label: role.name,
                onAction: () => setOpen(role),
              }))}
            />
          )}
          {may('authorization.createRole') && (
            <Button variant="primary" onPress={() => setOpen('create')}>
              Create role
            </Button>
          )}
        </>
      }
    >
      <QueryView query={roles} loading="Loading roles">
        {({ results }) => (
          <QueryView query={methods} loading="Loading permissions">
            {(page) => <Grid roles={results} methods={page.results} />}
          </QueryView>
        )}
      </QueryView>
      {open === 'create' && <CreateRole onClose={() => setOpen(undefined)} />}
      {typeof open === 'object' && <DeleteRole role={open} onClose={() => setOpen(undefined)} />}
    </AdminFrame>
  );
}

type Permission = Pick<Method, 'name' | 'provenance'>;

const boxOf = (roleId: string, method: Permission) => `${roleId} ${keyOf(method)}`;

/** Allows a permission to a role, or takes it away: the list of a role is replaced as a whole, so it is read anew first. */
async function allowMethod(roleId: string, { name, provenance }: Permission, isAllowed: boolean) {
  const { allowedMethods = [] } = await api.authorization.getRole.query({ roleId });
  const others = allowedMethods.filter((one) => keyOf(one) !== keyOf({ name, provenance }));
  return api.authorization.updateRole.mutate({
    roleId,
    updates: { allowedMethods: isAllowed ? [...others, { name, provenance }] : others },
  });
}

/**
 * Checkboxes of permissions: each shows its new state at once. The changes are saved one after the other, because saving one
 * replaces the whole list of its role.
 */
function useBoxes() {
  const act = useAct(trpc.authorization.listRoles.pathFilter());
  const [pressed, setPressed] = useState<ReadonlyMap<string, boolean>>(new Map());
  const queue = useRef(Promise.resolve());
  const press = (roleId: string, method: Permission, isAllowed: boolean) => {
    const box = boxOf(roleId, method);
    setPressed((before) => new Map(before).set(box, isAllowed));
    queue.current = queue.current
      .then(() => act(() => allowMethod(roleId, method, isAllowed)))
      .then(() =>
        // A box that was pressed again meanwhile keeps its newer state.
        setPressed((before) => new Map([...before].filter((one) => one[0] !== box || one[1] !== isAllowed))),
      );
  };
  return { pressed, press };
}

function Grid({ roles, methods }: { roles: readonly Role[]; methods: readonly Method[] }) {
  const [{ q = '' }] = useUrlState();
  const may = useMay();
  const { pressed, press } = useBoxes();
  const text = q.toLowerCase();
  const rows = methods.filter((method) => keyOf(method).toLowerCase().includes(text));
  const allowed = new Map(roles.map((role) => [role._id, new Set(role.allowedMethods?.map(keyOf))]));
  const own = new Set(roles.filter((role) => isOwn(role, methods)).map(({ _id }) => _id));
  const columns: Column<Method>[] = [
    {
      key: 'name',
      header: 'Permission',
      width: '20rem',
      cell: (method) => (
        <code title={`${method.route.verb.toUpperCase()} ${method.route.fullPath}`}>{keyOf(method)}</code>
      ),
      text: keyOf,
    },
    ...roles.map(
      (role): Column<Method> => ({
        key: role._id,
        width: '9rem',
        header: roleName(role),
        cell: (method) => {
          const has =
            pressed.get(boxOf(role._id, method)) ?? allowed.get(role._id)?.has(keyOf(method)) ?? false;
          if (!own.has(role._id) || !may('authorization.updateRole')) return has ? <Has /> : '';
          return (
            <span className="checkbox">
              <input
                type="checkbox"
                aria-label={`${role.name} may ${keyOf(method)}`}
                checked={has}
                onChange={() => press(role._id, method, !has)}
              />
            </span>
          );
        },
        text: (method) => (allowed.get(role._id)?.has(keyOf(method)) ? 'yes' : ''),
      }),
    ),
  ];
  return (
    <>
      <search className="toolbar">
        <FilterBox />
        <span className="muted small">
          Roles of the platform are fixed; change custom roles with their checkboxes.
        </span>
        <div className="toolbar-end">
          <Button variant="quiet" onPress={() => saveFile('roles.csv', csvOf(columns, rows))}>
            CSV
          </Button>
        </div>
      </search>
      <DataTable label="Roles" columns={columns} rows={rows} rowKey={keyOf} />
    </>
  );
}

const Has = () => (
  <span role="img" aria-label="yes">
    ✓
  </span>
);

function CreateRole({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.authorization.listRoles.pathFilter());
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <FormDialog
      title="Create role"
      action="Create role"
      isOpen
      onClose={onClose}
      isReady={name.trim() !== ''}
      onSubmit={async () => {
        const role = { name: name.trim(), description, allowedMethods: [], allowedViews: [] };
        await api.authorization.createRole.mutate({ role });
        await refresh();
      }}
    >
      <TextField label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextField label="Description" value={description} onChange={setDescription} />
      <p className="muted">The role starts without permissions; select them in the grid.</p>
    </FormDialog>
  );
}

function DeleteRole({ role, onClose }: { role: Role; onClose: () => void }) {
  const refresh = useRefresh(trpc.authorization.listRoles.pathFilter());
  return (
    <FormDialog
      title="Delete role"
      action="Delete role"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        await api.authorization.deleteRole.mutate({ roleId: role._id });
        await refresh();
      }}
    >
      <p>The role “{role.name}” is deleted; accounts and groups that have it lose its permissions.</p>
    </FormDialog>
  );
}
