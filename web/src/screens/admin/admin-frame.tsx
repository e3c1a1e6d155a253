import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { type ProcedureName, useMay } from '~/api/use-may.ts';
import type { PagePath } from '~/app/paths.ts';
import { Button } from '~/ui/button.tsx';
import { Page, PathLink } from '~/ui/page.tsx';

type Tab = { path: PagePath; label: string; needs: ProcedureName };

const GROUPS: readonly { title: string; tabs: readonly Tab[] }[] = [
  {
    title: 'System',
    tabs: [
      { path: '/admin/health', label: 'Health', needs: 'health.getSystem' },
      { path: '/admin/adapters', label: 'Adapters', needs: 'adapters.listAdapters' },
      { path: '/admin/applications', label: 'Applications', needs: 'applications.getApplications' },
      { path: '/admin/workers', label: 'Workers', needs: 'workflowEngine.getWorkersStatus' },
      { path: '/admin/profiles', label: 'Profiles', needs: 'profiles.getProfiles' },
    ],
  },
  {
    title: 'Access',
    tabs: [
      { path: '/admin/accounts', label: 'Accounts', needs: 'authorization.listAccounts' },
      { path: '/admin/groups', label: 'Groups', needs: 'authorization.listGroups' },
      { path: '/admin/roles', label: 'Roles', needs: 'authorization.listRoles' },
      { path: '/admin/service-accounts', label: 'Service accounts', needs: 'oauth.listServiceAccounts' },
      { path: '/admin/tokens', label: 'Tokens', needs: 'authorization.listTokens' },
      { path: '/admin/sign-in', label: 'Sign-in', needs: 'signIn.listProviders' },
      { path: '/admin/access', label: 'Access by default', needs: 'authorization.getAccessDefault' },
    ],
  },
  {
    title: 'Connections',
    tabs: [
      { path: '/admin/secrets', label: 'Secrets', needs: 'secrets.listProviders' },
      {
        path: '/admin/credentials',
        label: 'Device credentials',
        needs: 'automationgateway.listCredentials',
      },
      {
        path: '/admin/command-policies',
        label: 'Command policies',
        needs: 'automationgateway.listPolicies',
      },
      { path: '/admin/git', label: 'Git', needs: 'git.listRemotes' },
      { path: '/admin/notifications', label: 'Notifications', needs: 'notifications.listRules' },
      { path: '/admin/outgoing', label: 'Outgoing targets', needs: 'outgoing.getTargets' },
    ],
  },
  {
    title: 'Records',
    tabs: [
      { path: '/admin/audit', label: 'Audit trail', needs: 'audit.listEntries' },
      { path: '/admin/retention', label: 'Retention', needs: 'retention.getSettings' },
    ],
  },
];

type AdminFrameProps = { current: string; actions?: ReactNode; children: ReactNode };

/**
 * Screen 13: administration, whose pages are listed beside each of them; in a narrow window a button opens the list.
 *
 * @param current the label of the page in the list, which is its title
 */
export function AdminFrame({ current, actions, children }: AdminFrameProps) {
  const may = useMay();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const group = GROUPS.find(({ tabs }) => tabs.some(({ label }) => label === current));
  return (
    <Page title={current} path={<PathLink to="/admin">Admin</PathLink>} actions={actions}>
      <div className="admin">
        <nav className="admin-nav" aria-label="Administration" data-open={isOpen || undefined}>
          <div className="admin-menu">
            <Button aria-expanded={isOpen} aria-controls={id} onPress={() => setOpen(!isOpen)}>
              {group?.title}: {current} <span aria-hidden="true">▾</span>
            </Button>
          </div>
          <div id={id} className="admin-groups">
            {GROUPS.map(({ title, tabs }) => {
              const allowed = tabs.filter(({ needs }) => may(needs));
              if (allowed.length === 0) return null;
              return (
                <div key={title}>
                  <h2>{title}</h2>
                  <ul>
                    {allowed.map(({ path, label }) => (
                      <li key={path}>
                        <Link to={path} aria-current={label === current ? 'page' : undefined}>
                          {label}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </div>
              );
            })}
          </div>
        </nav>
        <div className="page">{children}</div>
      </div>
    </Page>
  );
}

/** Returns the frame of a list of the administration. @param current the label of its page */
export const inAdmin = (current: string) => (actions: ReactNode, list: ReactNode) => (
  <AdminFrame current={current} actions={actions}>
    {list}
  </AdminFrame>
);

/** The way back from the page of one object of the administration. */
export const AdminPath = ({ to, label }: { to: PagePath; label: string }) => (
  <>
    <PathLink to="/admin">Admin</PathLink> / <PathLink to={to}>{label}</PathLink>
  </>
);
